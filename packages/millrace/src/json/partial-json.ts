import { type JsonValue, parseJsonOr } from './json-value.ts'

/** State of a partial parse: `open` while incomplete, `complete` after the last token, `failed` at invalid JSON. */
export type PartialJsonStatus = 'open' | 'complete' | 'failed'

/** An incremental JSON parser that exposes the parsed value after every chunk. Never throws. */
export interface PartialJson {
  /** Parses the next chunk, split at any position. After a failure it only adds to `length`. */
  feed(text: string): void
  /** Ends the input. Completes a bare number; fails a value that is still open. */
  finish(): void
  /**
   * The value parsed so far; undefined before the first token. Objects and arrays grow in place. An open string holds its decoded prefix. A
   * key, number or literal appears once it is complete. A failure leaves the value unchanged.
   */
  readonly value: JsonValue | undefined
  readonly status: PartialJsonStatus
  /** Number of UTF-16 units fed. */
  readonly length: number
}

/** Options of {@link createPartialJson}. */
export interface PartialJsonOptions {
  /** Deeper nesting fails, so that hostile input cannot overflow the stack of a recursive consumer. */
  readonly maxDepth?: number
}

/** Creates an incremental parser. It reads each character once and agrees with `JSON.parse` on every complete text. */
export function createPartialJson({ maxDepth = 256 }: PartialJsonOptions = {}): PartialJson {
  return new PartialJsonReader(maxDepth)
}

const VALUE = '{["-0123456789tfn'
const KEY = '"'
const WHITESPACE = ' \n\r\t'

const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }
const NUMBER = /[-+.\deE]*/y

const HEX = /^[\da-f]{4}$/i
const ESCAPES = '"\\/bfnrt'
const ESCAPED = '"\\/\b\f\n\r\t'

class PartialJsonReader implements PartialJson {
  value: JsonValue | undefined
  status: PartialJsonStatus = 'open'
  length = 0
  readonly #maxDepth: number
  /** The open containers, innermost last. */
  readonly #open: (JsonValue[] | Record<string, JsonValue>)[] = []
  /** The key and the index of the current value in the innermost container. */
  #key = ''
  #index = 0
  #expected = VALUE
  #inside: 'key' | 'string' | 'number' | undefined
  /** The decoded prefix of the open key or string, or the source text of the open number. */
  #token = ''
  /** An escape or literal that is split by the end of a chunk: at most five characters. */
  #pending = ''

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  feed(text: string): void {
    this.length += text.length
    const input = this.#pending + text
    this.#pending = ''
    let at = 0
    while (at < input.length && this.status !== 'failed') at = this.#take(input, at)
    if (this.#inside === 'string') this.#put(this.#token)
  }

  finish(): void {
    if (this.#inside === 'number' && this.#open.length === 0)
      this.#endScalar(parseJsonOr(this.#token, undefined))
    if (this.status === 'open') this.#fail()
  }

  /** Parses one token, or the available part of it. Returns the position after it. */
  #take(input: string, at: number): number {
    if (this.#inside === 'number') return this.#takeNumber(input, at)
    if (this.#inside !== undefined) return this.#takeString(input, at)
    const char = input.charAt(at)
    if (WHITESPACE.includes(char)) return at + 1
    if (!this.#expected.includes(char)) return this.#fail()
    return this.#takeDelimiter(input, at, char)
  }

  #takeDelimiter(input: string, at: number, char: string): number {
    if (char === '{') this.#openContainer({}, '"}')
    else if (char === '[') this.#openContainer([], `${VALUE}]`)
    else if (char === ':') this.#expected = VALUE
    else if (char === ',') this.#expectEntry()
    else if (char === ']' || char === '}') this.#closeContainer()
    else if (char === '"') this.#inside = this.#expected.startsWith(KEY) ? 'key' : 'string'
    else return this.#takeLiteralOrNumber(input, at, literals[char])
    return at + 1
  }

  /** Starts a literal or a number. A literal has a known end; a number ends at the next other character. */
  #takeLiteralOrNumber(input: string, at: number, literal: string | undefined): number {
    if (literal !== undefined) return this.#takeLiteral(input, at, literal)
    this.#inside = 'number'
    return at
  }

  #takeLiteral(input: string, at: number, literal: string): number {
    const end = at + literal.length
    const part = input.slice(at, end)
    if (!literal.startsWith(part)) return this.#fail()
    if (part === literal) this.#endScalar(parseJsonOr(literal, undefined))
    else this.#pending = part
    return end
  }

  #takeNumber(input: string, at: number): number {
    NUMBER.lastIndex = at
    NUMBER.test(input)
    const end = NUMBER.lastIndex
    this.#token += input.slice(at, end)
    if (end < input.length) this.#endScalar(parseJsonOr(this.#token, undefined))
    return end
  }

  /**
   * Parses string content up to the next quote, escape or invalid character.
   *
   *     {"path": "src/a.ts\n"}
   *               ^-------^
   */
  #takeString(input: string, at: number): number {
    let end = at
    while (isPlain(input.charCodeAt(end))) end++
    this.#token += input.slice(at, end)
    if (end === input.length) return end
    if (input[end] === '\\') return this.#takeEscape(input, end)
    if (input[end] !== '"') return this.#fail()
    this.#endString()
    return end + 1
  }

  /** Decodes one escape. Surrogate pairs need no special case: both halves are appended to the token. */
  #takeEscape(input: string, at: number): number {
    const char = input.charAt(at + 1)
    const end = at + (char === 'u' ? 6 : 2)
    if (end > input.length) {
      this.#pending = input.slice(at)
      return end
    }
    const decoded = decodeEscape(char, input.slice(at + 2, end))
    if (decoded === undefined) return this.#fail()
    this.#token += decoded
    return end
  }

  #endString(): void {
    if (this.#inside === 'string') return this.#endScalar(this.#token)
    this.#key = this.#token
    this.#endToken(':')
  }

  #endScalar(value: JsonValue | undefined): void {
    if (value === undefined) return void this.#fail()
    this.#put(value)
    this.#endValue()
  }

  #openContainer(container: JsonValue[] | Record<string, JsonValue>, expected: string): void {
    if (this.#open.length >= this.#maxDepth) return void this.#fail()
    this.#put(container)
    this.#open.push(container)
    this.#index = 0
    this.#expected = expected
  }

  #expectEntry(): void {
    const container = this.#open.at(-1)
    this.#expected = KEY
    if (!Array.isArray(container)) return
    this.#index = container.length
    this.#expected = VALUE
  }

  #closeContainer(): void {
    this.#open.pop()
    this.#endValue()
  }

  #endValue(): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.status = 'complete'
    this.#endToken(container === undefined ? '' : Array.isArray(container) ? ',]' : ',}')
  }

  #endToken(expected: string): void {
    this.#inside = undefined
    this.#token = ''
    this.#expected = expected
  }

  #put(value: JsonValue): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.value = value
    else if (Array.isArray(container)) container[this.#index] = value
    else if (this.#key === '__proto__') defineProto(container, value)
    else container[this.#key] = value
  }

  #fail(): number {
    this.status = 'failed'
    return 0
  }
}

/** Checks for a character that needs no decoding: no quote, backslash or control character. The end of input is NaN. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c
}

function decodeEscape(char: string, hex: string): string | undefined {
  if (HEX.test(hex)) return String.fromCharCode(parseInt(hex, 16))
  return ESCAPED[ESCAPES.indexOf(char)]
}

/** Defines an own property as `JSON.parse` does. An assignment would change the prototype. */
function defineProto(container: Record<string, JsonValue>, value: JsonValue): void {
  Object.defineProperty(container, '__proto__', {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

/** Checks for the incomplete start of a JSON value. Returns false for blank text: some models send it for empty arguments. */
export function isJsonPrefix(text: string): boolean {
  if (!/\S/.test(text)) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    const reader = createPartialJson()
    reader.feed(text)
    return reader.status === 'open'
  }
}
