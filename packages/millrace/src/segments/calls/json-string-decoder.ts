import { code, SurrogateJoiner } from '../characters.ts'

const LETTER_U = 0x75
const HEX = /^[\da-f]{4}$/i
/** From this length, the engine's own decoder is faster than decoding each escape. */
const MIN_PARSED_LENGTH = 24

/** Up to this length, checking each character is faster than two searches. */
const MAX_SCANNED_LENGTH = 32
const ESCAPES = '"\\/bfnrt'
const ESCAPED = '"\\/\b\f\n\r\t'

/**
 * Decodes the inside of a JSON string that arrives in chunks cut anywhere. Holds only an incomplete escape and a high surrogate whose
 * partner may follow. Characters that JSON does not allow in a string (raw control characters, unknown escapes) are kept unchanged.
 */
export class JsonStringDecoder {
  /** Text decoded by the last feed. */
  decoded = ''
  /** The start of an escape: at most five characters. */
  #incomplete = ''
  readonly #pairs = new SurrogateJoiner()
  /** The text so far has nothing that the engine's decoder would reject. */
  #strict = true

  /**
   * Decodes text from a position and sets `decoded`. Returns the position after the closing quote, and is then ready for another string; -1
   * if all of the text was read.
   */
  feed(text: string, from = 0): number {
    if (this.#incomplete === '') return this.#take(text, from)
    const joined = this.#incomplete + text.slice(from)
    const shift = from - this.#incomplete.length
    this.#incomplete = ''
    const end = this.#take(joined, 0)
    return end === -1 ? -1 : end + shift
  }

  #take(text: string, from: number): number {
    if (isShortAndPlain(text, from)) {
      this.decoded = this.#pairs.take(from === 0 ? text : text.slice(from))
      return -1
    }
    const quote = findStringEnd(text, from)
    if (quote === -1) {
      this.#takeAll(text, from)
      return -1
    }
    this.decoded = this.#pairs.flush() + this.#decode(text.slice(from, quote))
    this.#strict = true
    return quote + 1
  }

  #takeAll(text: string, from: number): void {
    const end = incompleteEscapeStart(text, from)
    if (end < text.length) this.#incomplete = text.slice(end)
    this.decoded = this.#pairs.take(this.#decode(text.slice(from, end)))
  }

  #decode(text: string): string {
    if (!text.includes('\\')) return text
    if (this.#strict && text.length >= MIN_PARSED_LENGTH) {
      try {
        return JSON.parse(`"${text}"`) as string
      } catch {
        // An exception for each feed would cost more than it saves.
        this.#strict = false
      }
    }
    return decodeEscapes(text)
  }
}

function isShortAndPlain(text: string, from: number): boolean {
  if (text.length - from > MAX_SCANNED_LENGTH) return false
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === code.quote || unit === code.backslash) return false
  }
  return true
}

function decodeEscapes(text: string): string {
  let decoded = ''
  let done = 0
  let at = text.indexOf('\\')
  while (at !== -1) {
    const isLong = text.charCodeAt(at + 1) === LETTER_U && HEX.test(text.slice(at + 2, at + 6))
    const end = at + (isLong ? 6 : 2)
    decoded += text.slice(done, at) + (isLong ? decodeLong(text, at) : decodeShort(text, at))
    done = end
    at = text.indexOf('\\', end)
  }
  return decoded + text.slice(done)
}

function decodeLong(text: string, at: number): string {
  return String.fromCharCode(parseInt(text.slice(at + 2, at + 6), 16))
}

/** Keeps an unknown escape unchanged. */
function decodeShort(text: string, at: number): string {
  return ESCAPED[ESCAPES.indexOf(text.charAt(at + 1))] ?? text.slice(at, at + 2)
}

/** An incomplete escape at the end of a feed: only `\u` waits for more than one character, four hexadecimal digits. */
const INCOMPLETE_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i
const LONGEST_INCOMPLETE = 5

/** Finds the quote that ends a JSON string, from a position outside an escape; -1 if there is none yet. */
export function findStringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && isEscaped(text, from, quote)) quote = text.indexOf('"', quote + 1)
  return quote
}

/** Checks whether an odd number of backslashes precedes a position, counted from a position outside an escape. */
export function isEscaped(text: string, from: number, position: number): boolean {
  let first = position
  while (first > from && text.charCodeAt(first - 1) === code.backslash) first--
  return (position - first) % 2 === 1
}

/**
 * Returns the start of an escape that the end of the text has cut; otherwise the end.
 * caf\u00
 * ^
 */
export function incompleteEscapeStart(text: string, from: number): number {
  const earliest = Math.max(from, text.length - LONGEST_INCOMPLETE)
  let last = text.length - 1
  while (last >= earliest && text.charCodeAt(last) !== code.backslash) last--
  if (last < earliest || isEscaped(text, from, last)) return text.length
  return INCOMPLETE_ESCAPE.test(text.slice(last)) ? last : text.length
}
