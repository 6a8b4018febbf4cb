import { isSpace } from '../characters.ts'
import { findStringEnd, incompleteEscapeStart } from './json-string-decoder.ts'

/** `blank` before anything but white space, `open` inside the value, `failed` at invalid JSON. */
export type JsonStatus = 'blank' | 'open' | 'complete' | 'failed'

const VALUE = '{["-0123456789tfn'
const KEY = '"'

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }
const NUMBER_PART = /[-+.\deE]*/y
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/
/** Characters that JSON requires to be escaped in a string. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f]/
/** A backslash before a character that JSON does not escape; preceding backslashes are paired. */
const BAD_ESCAPE = /(?<!\\)(?:\\\\)*\\(?!["\\/bfnrt]|u[\da-fA-F]{4})/
/** Maximum length of a number; a longer one fails. */
const LONGEST_NUMBER = 1024

/** Validates one JSON value in text that is cut anywhere; stores only the open brackets. */
export class JsonScanner {
  status: JsonStatus = 'blank'
  readonly #maxDepth: number
  /** Characters that may follow a value in each open container, innermost last. */
  readonly #open: string[] = []
  #expected = VALUE
  #inside: 'string' | 'number' | 'literal' | undefined
  #isKey = false
  /** The start of an escape that the end of a text has cut: at most five characters. */
  #incomplete = ''
  /** The number so far, or the missing rest of the literal. */
  #token = ''

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** Resets the scanner; only a complete value leaves no bracket open. */
  reset(): void {
    this.status = 'blank'
    this.#expected = VALUE
  }

  /** Scans a text that must contain only the value and white space around it. */
  feed(text: string): void {
    let at = this.take(text, 0)
    if (this.status !== 'complete') return
    while (isSpace(text.charCodeAt(at))) at++
    if (at < text.length) this.status = 'failed'
  }

  /** Scans the value from a position, and returns the position after it. */
  take(text: string, from: number): number {
    let at = from
    while (at < text.length && (this.status === 'open' || this.status === 'blank')) {
      at = this.#takeToken(text, at)
    }
    return at
  }

  /** Ends the text: only now is a bare number complete. */
  finish(): void {
    if (this.#inside === 'number' && this.#open.length === 0) this.#endNumber()
  }

  #takeToken(text: string, at: number): number {
    if (this.#inside === 'string') return this.#takeString(text, at)
    if (this.#inside === 'number') return this.#takeNumber(text, at)
    if (this.#inside === 'literal') return this.#takeLiteral(text, at)
    if (isSpace(text.charCodeAt(at))) return at + 1
    const char = text.charAt(at)
    if (!this.#expected.includes(char)) return this.#fail(at)
    this.status = 'open'
    return this.#takeDelimiter(at, char)
  }

  #takeDelimiter(at: number, char: string): number {
    if (char === '"') this.#beginString()
    else if (char === ',') this.#expected = this.#open.at(-1) === ',}' ? KEY : VALUE
    else if (char === ':') this.#expected = VALUE
    else if (char === '{') return this.#openContainer(at, ',}', '"}')
    else if (char === '[') return this.#openContainer(at, ',]', `${VALUE}]`)
    else if (char === '}' || char === ']') this.#closeContainer()
    else return this.#beginWord(at, literals[char])
    return at + 1
  }

  #beginString(): void {
    this.#inside = 'string'
    this.#isKey = this.#expected.startsWith(KEY)
  }

  #beginWord(at: number, literal: string | undefined): number {
    this.#inside = literal === undefined ? 'number' : 'literal'
    this.#token = literal ?? ''
    return at
  }

  #openContainer(at: number, following: string, expected: string): number {
    if (this.#open.length >= this.#maxDepth) return this.#fail(at)
    this.#open.push(following)
    this.#expected = expected
    return at + 1
  }

  #closeContainer(): void {
    this.#open.pop()
    this.#endValue()
  }

  #takeString(text: string, at: number): number {
    if (this.#incomplete === '') return this.#takeWhole(text, at)
    const joined = this.#incomplete + text.slice(at)
    const shift = at - this.#incomplete.length
    this.#incomplete = ''
    return this.#takeWhole(joined, 0) + shift
  }

  #takeWhole(text: string, at: number): number {
    const quote = findStringEnd(text, at)
    const end = quote === -1 ? incompleteEscapeStart(text, at) : quote
    const part = text.slice(at, end)
    if (CONTROL.test(part) || BAD_ESCAPE.test(part)) return this.#fail(at)
    if (quote === -1) {
      this.#incomplete = text.slice(end)
      return text.length
    }
    if (!this.#isKey) this.#endValue()
    else this.#endToken(':')
    return quote + 1
  }

  #takeNumber(text: string, at: number): number {
    NUMBER_PART.lastIndex = at
    NUMBER_PART.test(text)
    const end = NUMBER_PART.lastIndex
    if (this.#token.length + end - at > LONGEST_NUMBER) return this.#fail(at)
    this.#token += text.slice(at, end)
    if (end < text.length) this.#endNumber()
    return end
  }

  #endNumber(): void {
    if (NUMBER.test(this.#token)) this.#endValue()
    else this.status = 'failed'
  }

  #takeLiteral(text: string, at: number): number {
    const part = text.slice(at, at + this.#token.length)
    if (!this.#token.startsWith(part)) return this.#fail(at)
    this.#token = this.#token.slice(part.length)
    if (this.#token === '') this.#endValue()
    return at + part.length
  }

  #endValue(): void {
    if (this.#open.length === 0) this.status = 'complete'
    this.#endToken(this.#open.at(-1) ?? '')
  }

  #endToken(expected: string): void {
    this.#inside = undefined
    this.#token = ''
    this.#expected = expected
  }

  #fail(at: number): number {
    this.status = 'failed'
    return at
  }
}
