import type { FieldType } from './field-type.ts'
import { toTypedJson } from './typed-json.ts'

/** Where the JSON goes, and the bound. */
export interface JsonFieldsWriterOptions {
  /** Takes the next piece of the JSON text. */
  readonly write: (json: string) => void
  /** The longest text of a typed field; a longer one becomes a string. */
  readonly maxHeld: number
  /** How deep a typed field may nest; a deeper one becomes a string. */
  readonly maxDepth: number
}

/** What a JSON string must escape; a surrogate may be a lone one. */
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/ // oxlint-disable-line no-control-regex

/**
 * Writes fields that arrive as text as one JSON object. Strings go out as they come; a field of another type is
 * held until its end and is a string after all if its text is not of that type. A key that comes again is
 * written again, so that the last one counts.
 */
export class JsonFieldsWriter {
  readonly #options: JsonFieldsWriterOptions
  #isFirst = true
  /** How the field in hand is written. */
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

  /** Gives out what is held and leaves the object open, as the text that was cut left it. */
  cut(): void {
    if (this.#inside === 'held') this.#release()
    this.#inside = undefined
  }

  #endHeld(): void {
    const typed = toTypedJson(this.#held, this.#type, this.#options.maxDepth)
    this.#options.write(typed?.json ?? `"${escape(this.#held)}"`)
    this.#held = ''
  }

  /** Goes on as a string. */
  #release(): void {
    this.#options.write(`"${escape(this.#held)}`)
    this.#held = ''
    this.#inside = 'string'
  }
}

function escape(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text).slice(1, -1) : text
}
