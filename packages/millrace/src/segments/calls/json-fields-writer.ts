import { type FieldType, toTypedJson } from './typed-json.ts'

interface JsonFieldsWriterOptions {
  /** Receives the next chunk of the JSON text. */
  readonly write: (json: string) => void
  /** Maximum length of a typed field; a longer one becomes a string. */
  readonly maxHeld: number
  /** Maximum nesting of a typed field; a deeper one becomes a string. */
  readonly maxDepth: number
}

/** Characters that a JSON string must escape; a surrogate may be a lone one. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/ // oxlint-disable-line no-control-regex

/**
 * Writes text fields as one JSON object. Strings are written as they arrive; a field of another type is held until its end and becomes a
 * string if its text is not of that type. A repeated key is written again, so that its last value counts.
 */
export class JsonFieldsWriter {
  readonly #options: JsonFieldsWriterOptions
  #isFirst = true
  /** State of the current field. */
  #inside: 'string' | 'held' | undefined
  #type: FieldType = 'string'
  #held = ''

  constructor(options: JsonFieldsWriterOptions) {
    this.#options = options
  }

  beginField(key: string, type: FieldType = 'string'): void {
    this.endField()
    const isString = type === 'string'
    this.#options.write(`${this.#isFirst ? '{' : ','}${JSON.stringify(key)}:${isString ? '"' : ''}`)
    this.#isFirst = false
    this.#inside = isString ? 'string' : 'held'
    this.#type = type
  }

  fieldText(text: string): void {
    if (text === '') return
    if (this.#inside === 'string') return this.#options.write(escape(text))
    if (this.#inside === undefined) return
    this.#held += text
    if (this.#held.length > this.#options.maxHeld) this.#release()
  }

  endField(): void {
    if (this.#inside === 'string') this.#options.write('"')
    else if (this.#inside === 'held') this.#endHeld()
    this.#inside = undefined
  }

  /** Closes the object. */
  end(): void {
    this.endField()
    this.#options.write(this.#isFirst ? '{}' : '}')
  }

  /** Writes the held text and leaves the object open, because the text was cut. */
  cut(): void {
    if (this.#inside === 'held') this.#release()
    this.#inside = undefined
  }

  #endHeld(): void {
    const typed = toTypedJson(this.#held, this.#type, this.#options.maxDepth)
    this.#options.write(typed?.json ?? `"${escape(this.#held)}"`)
    this.#held = ''
  }

  /** Continues the field as a string. */
  #release(): void {
    this.#options.write(`"${escape(this.#held)}`)
    this.#held = ''
    this.#inside = 'string'
  }
}

function escape(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text).slice(1, -1) : text
}
