import type { JsonValue } from './json-value.ts'

/** `open` while more may come, `complete` once the value is whole, `failed` at what is not JSON. */
export type PartialJsonStatus = 'open' | 'complete' | 'failed'

/** A JSON text that arrives in pieces, as a value at every moment. Never throws. */
export interface PartialJson {
  /** Takes more of the text, cut anywhere; after a failure it only counts. */
  feed(text: string): void
  /** Says that the text is over: only then is a bare number certain, and what is still open has failed. */
  finish(): void
  /**
   * What is certain so far, undefined before anything is. Objects and arrays grow in place; an open string
   * shows what has been decoded; a key, number or literal is not seen before its end. A failure leaves it as it is.
   */
  readonly value: JsonValue | undefined
  readonly status: PartialJsonStatus
  /** How many UTF-16 units have been fed. */
  readonly length: number
}

/** The bound of a {@link PartialJson}. */
export interface PartialJsonOptions {
  /** Deeper nesting fails, so that a hostile text cannot exhaust the stack of those who walk the value. */
  readonly maxDepth?: number
}

/** Creates a reader that looks at each character once and agrees with `JSON.parse` on every whole text. */
export function createPartialJson({ maxDepth = 256 }: PartialJsonOptions = {}): PartialJson {
  return new PartialJsonReader(maxDepth)
}

/** Between tokens, what may come next is a set of characters. */
const VALUE = '{["-0123456789tfn'
const FIRST_ITEM = `${VALUE}]`
const KEY = '"'
const FIRST_KEY = '"}'
const AFTER_ITEM = ',]'
const AFTER_FIELD = ',}'
const PUNCTUATION = '{}[]:,'
const WHITESPACE = ' \n\r\t'

const literals = new Map<string, readonly [word: string, value: JsonValue]>([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
])

const ESCAPES = '"\\/bfnrt'
const ESCAPED = '"\\/\b\f\n\r\t'
const HEX = /^[\da-f]{4}$/i
const NUMBER_RUN = /[-+.\deE]*/y
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/

class PartialJsonReader implements PartialJson {
  value: JsonValue | undefined
  status: PartialJsonStatus = 'open'
  length = 0
  readonly #maxDepth: number
  /** The containers that are open, innermost last. */
  readonly #open: (JsonValue[] | Record<string, JsonValue>)[] = []
  /** Where the value in hand belongs in the innermost container. */
  #key = ''
  #index = 0
  #expected = VALUE
  #inside: 'key' | 'string' | 'number' | undefined
  /** The open key or string as decoded so far, or the open number as written. */
  #token = ''
  /** The start of an escape or literal that the end of a feed has cut: at most five characters. */
  #held = ''

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  feed(text: string): void {
    this.length += text.length
    const input = this.#held + text
    this.#held = ''
    let at = 0
    while (at < input.length && this.status !== 'failed') at = this.#take(input, at)
    if (this.#inside === 'string') this.#put(this.#token)
  }

  finish(): void {
    if (this.#inside === 'number' && this.#open.length === 0) this.#endNumber()
    if (this.status === 'open') this.#fail()
  }

  /** Each taker returns the position after what it took. */
  #take(input: string, at: number): number {
    if (this.#inside === undefined) return this.#takeStructure(input, at)
    return this.#inside === 'number' ? this.#takeNumber(input, at) : this.#takeString(input, at)
  }

  #takeStructure(input: string, at: number): number {
    const char = input.charAt(at)
    if (WHITESPACE.includes(char)) return at + 1
    if (!this.#expected.includes(char)) return this.#fail()
    const literal = literals.get(char)
    if (literal !== undefined) return this.#takeLiteral(input, at, ...literal)
    if (!PUNCTUATION.includes(char)) return this.#begin(char, at)
    this.#punctuate(char)
    return at + 1
  }

  #punctuate(char: string): void {
    if (char === '{') this.#openContainer({}, FIRST_KEY)
    else if (char === '[') this.#openContainer([], FIRST_ITEM)
    else if (char === ':') this.#expected = VALUE
    else if (char === ',') this.#expectEntry()
    else this.#closeContainer()
  }

  /** A quote opens a string or a key, and belongs to neither; a digit or minus opens its number. */
  #begin(char: string, at: number): number {
    this.#token = ''
    this.#inside = char !== '"' ? 'number' : this.#expected.startsWith(KEY) ? 'key' : 'string'
    return char === '"' ? at + 1 : at
  }

  /**
   * Takes text up to what ends it or needs decoding.
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

  /** Surrogate pairs need no care: their halves meet in the token. */
  #takeEscape(input: string, at: number): number {
    const char = input.charAt(at + 1)
    const end = at + (char === 'u' ? 6 : 2)
    if (end > input.length) return this.#hold(input, at)
    const hex = input.slice(at + 2, end)
    const plain = char === 'u' && HEX.test(hex) ? fromHex(hex) : ESCAPED[ESCAPES.indexOf(char)]
    if (plain === undefined) return this.#fail()
    this.#token += plain
    return end
  }

  #takeNumber(input: string, at: number): number {
    NUMBER_RUN.lastIndex = at
    NUMBER_RUN.test(input)
    const end = NUMBER_RUN.lastIndex
    this.#token += input.slice(at, end)
    if (end < input.length) this.#endNumber()
    return end
  }

  #takeLiteral(input: string, at: number, word: string, value: JsonValue): number {
    const part = input.slice(at, at + word.length)
    if (!word.startsWith(part)) return this.#fail()
    if (part !== word) return this.#hold(input, at)
    this.#put(value)
    this.#endValue()
    return at + word.length
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
    const isArray = Array.isArray(container)
    if (isArray) this.#index = container.length
    this.#expected = isArray ? VALUE : KEY
  }

  #closeContainer(): void {
    this.#open.pop()
    this.#endValue()
  }

  #endString(): void {
    if (this.#inside === 'key') {
      this.#inside = undefined
      this.#key = this.#token
      this.#expected = ':'
    } else {
      this.#put(this.#token)
      this.#endValue()
    }
  }

  #endNumber(): void {
    if (!NUMBER.test(this.#token)) return void this.#fail()
    this.#put(Number(this.#token))
    this.#endValue()
  }

  #endValue(): void {
    const container = this.#open.at(-1)
    this.#inside = undefined
    this.#expected = Array.isArray(container) ? AFTER_ITEM : AFTER_FIELD
    if (container !== undefined) return
    this.#expected = ''
    this.status = 'complete'
  }

  #put(value: JsonValue): void {
    const container = this.#open.at(-1)
    if (container === undefined) this.value = value
    else if (Array.isArray(container)) container[this.#index] = value
    else if (this.#key === '__proto__') defineProto(container, value)
    else container[this.#key] = value
  }

  #hold(input: string, at: number): number {
    this.#held = input.slice(at)
    return input.length
  }

  #fail(): number {
    this.status = 'failed'
    return 0
  }
}

/** Not a quote, not a backslash, not a control character, and not the end, whose code is NaN. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c
}

function fromHex(hex: string): string {
  return String.fromCharCode(parseInt(hex, 16))
}

/** An assignment would change the prototype; JSON.parse makes a property of its own. */
function defineProto(container: Record<string, JsonValue>, value: JsonValue): void {
  Object.defineProperty(container, '__proto__', {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}
