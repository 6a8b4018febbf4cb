import { code, isSpace } from '../characters.ts'

/** Which Markdown code hides plain openers. */
export interface CodeRules {
  readonly fences: 'opaque' | 'transparent'
  readonly inline: 'opaque' | 'transparent'
}

/** CommonMark: a fence is indented by at most three spaces and has at least three marks. */
const MAX_INDENT = 3
const MIN_FENCE = 3

/**
 * Follows Markdown through the text without looking ahead: fenced blocks, and code spans, which end with
 * their line at the latest, so that a stray backtick costs one line.
 */
export class CodeRegions {
  readonly #fences: boolean
  readonly #inline: boolean
  /** The mark and length of the fence that is open, 0 if none is. */
  #fence = 0
  #fenceLength = 0
  /** The line of a possible fence of this length: a further backtick on it shows that it was a span. */
  #openingLength = 0
  /** The line began with what closes the fence, if nothing else is on it. */
  #closing = false
  /** The length of the run that opened the span we are in. */
  #span = 0
  /** The run of marks that may go on. */
  #runUnit = 0
  #runLength = 0
  #runIndent = -1

  constructor(rules: CodeRules) {
    this.#fences = rules.fences === 'opaque'
    this.#inline = rules.inline === 'opaque'
  }

  get tracked(): boolean {
    return this.#fences || this.#inline
  }

  /** Whether the end of the line would change anything. */
  get lineMatters(): boolean {
    return this.#span > 0 || this.#openingLength > 0 || this.#closing || this.#runLength > 0
  }

  /** Whether a plain opener that begins now is inside code. */
  get opaque(): boolean {
    if (this.#runLength > 0) this.#endRun()
    return this.#fence !== 0 || this.#openingLength > 0 || this.#span > 0
  }

  /** A mark came; `indent` is the white space before it on its line, -1 if there is more than that. */
  mark(unit: number, indent: number, adjacent: boolean): void {
    if (this.#runLength > 0 && (!adjacent || unit !== this.#runUnit)) this.#endRun()
    if (this.#runLength === 0) {
      this.#runUnit = unit
      this.#runIndent = indent
    }
    this.#runLength++
  }

  /** Text other than marks came between the last mark or look and now. */
  other(text: string, from: number, to: number): void {
    if (from === to) return
    if (this.#runLength > 0) this.#endRun()
    if (!this.#closing) return
    let index = from
    while (index < to && isSpace(text.charCodeAt(index))) index++
    if (index < to) this.#closing = false
  }

  newline(): void {
    if (this.#runLength > 0) this.#endRun()
    if (this.#openingLength > 0) {
      this.#fence = code.backtick
      this.#fenceLength = this.#openingLength
    }
    if (this.#closing) this.#fence = 0
    this.#openingLength = 0
    this.#span = 0
    this.#closing = false
  }

  #endRun(): void {
    const length = this.#runLength
    const unit = this.#runUnit
    const startsLine = this.#runIndent >= 0 && this.#runIndent <= MAX_INDENT
    this.#runLength = 0
    if (this.#fence !== 0) {
      this.#closing = startsLine && unit === this.#fence && length >= this.#fenceLength
    } else if (unit === code.tilde) {
      if (this.#fences && startsLine && length >= MIN_FENCE) this.#openFence(unit, length)
    } else if (this.#fences && startsLine && length >= MIN_FENCE && this.#span === 0) {
      this.#openingLength = length
    } else this.#inlineRun(length)
  }

  #openFence(unit: number, length: number): void {
    this.#fence = unit
    this.#fenceLength = length
  }

  #inlineRun(length: number): void {
    if (this.#openingLength > 0) {
      this.#span = this.#inline ? this.#openingLength : 0
      this.#openingLength = 0
    }
    if (!this.#inline) return
    if (this.#span === 0) this.#span = length
    else if (this.#span === length) this.#span = 0
  }
}
