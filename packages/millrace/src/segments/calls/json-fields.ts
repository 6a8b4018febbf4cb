import { isSpace } from '../characters.ts'
import { JsonScanner, type JsonStatus } from './json-scanner.ts'
import { JsonStringDecoder } from './json-string-decoder.ts'

/** Receives the fields of a JSON object, in their order. */
export interface JsonFieldsSink {
  /** A field whose value is a string; its text follows. */
  beginString(key: string): void
  /** Decoded text of the string; never empty. */
  stringText(text: string): void
  endString(): void
  /** A field whose value is not a string, with its JSON text; undefined if it is longer than the limit. */
  value(key: string, json: string | undefined): void
}

interface JsonFieldsOptions {
  readonly sink: JsonFieldsSink
  /** Maximum length of a value that is held until its end, and of a key. */
  readonly maxValue: number
  /** Maximum nesting of the object, including itself. */
  readonly maxDepth: number
}

/** The delimiters that may follow, or the start of a value. */
type Expected = '{' | '"}' | '"' | ':' | 'value' | ',}' | ''

/** Parses the fields of a JSON object from text that arrives in chunks cut anywhere. Never throws. */
export class JsonFields {
  status: JsonStatus = 'blank'
  readonly #options: JsonFieldsOptions
  readonly #decoder = new JsonStringDecoder()
  #expected: Expected = '{'
  #inside: 'key' | 'string' | 'value' | undefined
  #key = ''
  readonly #scanner: JsonScanner
  /** The value so far; undefined once it is too long. */
  #value: string | undefined = ''

  constructor(options: JsonFieldsOptions) {
    this.#options = options
    this.#scanner = new JsonScanner(options.maxDepth - 1)
  }

  /** Parses more text; after the end of the object only white space is valid. */
  feed(text: string): void {
    let at = 0
    while (at < text.length && this.status !== 'failed') at = this.#take(text, at)
  }

  /** Reads a token, or the available part of one, and returns the position after it. */
  #take(text: string, at: number): number {
    if (this.#inside === 'string') return this.#takeString(text, at)
    if (this.#inside === 'key') return this.#takeKey(text, at)
    if (this.#inside === 'value') return this.#takeValue(text, at)
    if (isSpace(text.charCodeAt(at))) return at + 1
    const char = text.charAt(at)
    if (this.#expected === 'value') return this.#beginValue(at, char)
    if (!this.#expected.includes(char)) return this.#fail(at)
    this.#takeDelimiter(char)
    return at + 1
  }

  #takeDelimiter(char: string): void {
    if (char === '{') this.#openObject()
    else if (char === '"') this.#inside = 'key'
    else if (char === ':') this.#expected = 'value'
    else if (char === ',') this.#expected = '"'
    else this.#closeObject()
  }

  #openObject(): void {
    this.status = this.#options.maxDepth < 1 ? 'failed' : 'open'
    this.#expected = '"}'
  }

  #closeObject(): void {
    this.status = 'complete'
    this.#expected = ''
  }

  #takeKey(text: string, at: number): number {
    const end = this.#decoder.feed(text, at)
    this.#key += this.#decoder.decoded
    if (this.#key.length > this.#options.maxValue) return this.#fail(at)
    if (end === -1) return text.length
    this.#inside = undefined
    this.#expected = ':'
    return end
  }

  #beginValue(at: number, char: string): number {
    if (char === '"') {
      this.#inside = 'string'
      this.#options.sink.beginString(this.#key)
      return at + 1
    }
    this.#inside = 'value'
    this.#scanner.reset()
    this.#value = ''
    return at
  }

  #takeString(text: string, at: number): number {
    const { sink } = this.#options
    const end = this.#decoder.feed(text, at)
    if (this.#decoder.decoded !== '') sink.stringText(this.#decoder.decoded)
    if (end === -1) return text.length
    sink.endString()
    this.#endField()
    return end
  }

  #takeValue(text: string, at: number): number {
    const end = this.#scanner.take(text, at)
    this.#keep(text, at, end)
    if (this.#scanner.status === 'failed') return this.#fail(end)
    if (this.#scanner.status !== 'complete') return end
    this.#options.sink.value(this.#key, this.#value)
    this.#endField()
    return end
  }

  #keep(text: string, from: number, to: number): void {
    if (this.#value === undefined) return
    const fits = this.#value.length + to - from <= this.#options.maxValue
    this.#value = fits ? this.#value + text.slice(from, to) : undefined
  }

  #endField(): void {
    this.#inside = undefined
    this.#key = ''
    this.#value = ''
    this.#expected = ',}'
  }

  #fail(at: number): number {
    this.status = 'failed'
    return at
  }
}
