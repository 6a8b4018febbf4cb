import { SurrogateJoiner } from '../../characters.ts'
import { isEscaped } from '../../calls/json-string-decoder.ts'
import type { LiteralString, LiteralSyntax } from './notation.ts'
import type { Sink } from '../../engine/scan/input-buffer.ts'

const STRING = /(?<prefix>[bfru]{0,2})(?<quote>"""|'''|"|')/iy
const DECIMAL =
  /^(?<sign>[+-]?)(?<whole>\d[\d_]*|(?=\.\d))(?<fraction>\.[\d_]*)?(?<power>e[+-]?\d+)?$/i
const OTHER_BASE = /^(?<sign>[+-]?)(?<digits>0x[\da-f][\da-f_]*|0o[0-7][0-7_]*|0b[01][01_]*)$/i

/** Python's constants, and those of JSON, which models write as well. */
const words: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  true: 'true',
  false: 'false',
  null: 'null',
}

/** Literals in Python notation. */
export const pythonSyntax: LiteralSyntax = {
  readString,
  word: /[^\s,:()[\]{}'"]+/y,
  toJson: (word) => (Object.hasOwn(words, word) ? words[word] : toNumber(word)),
  hasTuples: true,
}

function readString(text: string, index: number): LiteralString | undefined {
  STRING.lastIndex = index
  const groups = STRING.exec(text)?.groups
  const { prefix = '', quote } = groups ?? {}
  if (quote === undefined) return undefined
  const start = index + prefix.length + quote.length
  let close = text.indexOf(quote, start)
  while (close !== -1 && isEscaped(text, start, close)) close = text.indexOf(quote, close + 1)
  if (close === -1) return undefined
  const value = decodePython(text.slice(start, close), /r/i.test(prefix))
  return { value, end: close + quote.length }
}

function toNumber(word: string): string | undefined {
  const other = OTHER_BASE.exec(word)?.groups
  if (other !== undefined) return toSign(other['sign']) + BigInt(toDigits(other['digits']))
  const groups = DECIMAL.exec(word)?.groups
  if (groups === undefined) return undefined
  const { sign, whole, fraction, power = '' } = groups
  const digits = toDigits(whole)
  // Neither JSON nor Python has leading zeros.
  if (/^0\d/.test(digits)) return undefined
  const after = toDigits(fraction)
  return toSign(sign) + (digits || '0') + (after === '.' ? '.0' : after) + power
}

function toSign(sign: string | undefined): string {
  return sign === '-' ? '-' : ''
}

function toDigits(written = ''): string {
  return written.replaceAll('_', '')
}

const ESCAPE =
  /\\(?:(?<octal>[0-7]{1,3})|x(?<byte>[\da-fA-F]{2})|u(?<short>[\da-fA-F]{4})|U(?<long>[\da-fA-F]{8})|(?<lineBreak>\r?\n)|(?<letter>[^]))/g
/** An incomplete escape at the end of a chunk, `\U` with seven digits at most. */
const INCOMPLETE = /\\(?:[0-7]{0,2}|x[\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|\r)$/
const LONGEST_INCOMPLETE = 9

const letters: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/**
 * Decodes the inside of a Python string that arrives in chunks. Two escapes that form one surrogate pair stay
 * together, because models write them as JSON does; escapes that Python does not define are kept.
 */
export class PythonEscapes implements Sink {
  readonly #sink: Sink
  readonly #isRaw: boolean
  /** The start of an escape. */
  #incomplete = ''
  readonly #pairs = new SurrogateJoiner()

  constructor(sink: Sink, isRaw: boolean) {
    this.#sink = sink
    this.#isRaw = isRaw
  }

  /** Whether a backslash waits for the next character: a quote does not end the string then. */
  get isOpen(): boolean {
    return this.#incomplete === '\\'
  }

  text(piece: string): void {
    const text = this.#incomplete + piece
    const end = incompleteStart(text, this.#isRaw)
    this.#incomplete = text.slice(end)
    this.#passOn(this.#pairs.take(this.#decode(text.slice(0, end))))
  }

  /** Ends the string and passes on the held text. */
  finish(): void {
    this.#passOn(this.#pairs.flush() + this.#decode(this.#incomplete))
    this.#incomplete = ''
  }

  #decode(text: string): string {
    return this.#isRaw || !text.includes('\\') ? text : decodeEscapes(text)
  }

  #passOn(text: string): void {
    if (text !== '') this.#sink.text(text)
  }
}

/** Decodes the inside of a whole Python string. */
export function decodePython(inside: string, isRaw: boolean): string {
  return isRaw ? inside : decodeEscapes(inside)
}

/** Returns the start of an escape that the end of the text has cut; in a raw string only the backslash itself. */
function incompleteStart(text: string, isRaw: boolean): number {
  const from = Math.max(0, text.length - LONGEST_INCOMPLETE)
  let at = text.length - 1
  while (at >= from && text.charAt(at) !== '\\') at--
  if (at < from || isEscaped(text, 0, at)) return text.length
  const isIncomplete = isRaw ? at === text.length - 1 : INCOMPLETE.test(text.slice(at))
  return isIncomplete ? at : text.length
}

type EscapeGroups = Readonly<
  Partial<Record<'octal' | 'byte' | 'short' | 'long' | 'lineBreak' | 'letter', string>>
>

function decodeEscapes(text: string): string {
  return text.replace(ESCAPE, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as EscapeGroups
    const { octal, byte, short, long, lineBreak, letter } = groups
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8))
    if (lineBreak !== undefined) return ''
    if (letter !== undefined) return letters[letter] ?? whole
    return decodeCode(parseInt(byte ?? short ?? long ?? '', 16), whole)
  })
}

function decodeCode(point: number, whole: string): string {
  return point <= 0x10ffff ? String.fromCodePoint(point) : whole
}
