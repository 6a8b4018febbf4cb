import { code, isSpace } from '../../characters.ts'
import type { InputBuffer } from './input-buffer.ts'

/** The kinds of Markdown code that hide plain openers. */
export interface CodeRules {
  readonly fences: 'opaque' | 'transparent'
  readonly inline: 'opaque' | 'transparent'
}

/** The kind of code that hides an opener. */
export type CodeKind = 'fence' | 'inline'

/** CommonMark: a fence has an indent of at most three spaces and at least three marks. */
const MAX_INDENT = 3
const MIN_FENCE = 3

/**
 * Tracks Markdown code in the text: fenced blocks, and code spans on one line. A run of backticks that is not closed on its line is text,
 * as in CommonMark, so its effect on an opener is known only with the whole line.
 */
export class CodeRegions {
  /** The code that ended last, until it is read, and whether a run of backticks or a line end ended it. */
  ended: { readonly kind: CodeKind; readonly by: 'run' | 'line' } | undefined
  readonly #fences: boolean
  readonly #inline: boolean
  readonly #ahead: LineAhead
  /** The mark and length of the open fence; length 0 if none is open. */
  #fence = 0
  #fenceLength = 0
  /** Length of a possible fence on this line: a further backtick on the line shows that it was a span. */
  #openingLength = 0
  /** The line began with a closing fence, which counts if nothing else follows. */
  #closing = false
  /** Lengths of the runs on this line that may open a span; all differ, because a second run of a length closes it. */
  #spans: number[] = []
  /** The current run of marks. */
  #runUnit = 0
  #runLength = 0
  #runIndent = -1

  /** The look-ahead on a line with inline code is at most this many units. */
  constructor(rules: CodeRules, maxLine: number) {
    this.#fences = rules.fences === 'opaque'
    this.#inline = rules.inline === 'opaque'
    this.#ahead = new LineAhead(maxLine)
  }

  get tracked(): boolean {
    return this.#fences || this.#inline
  }

  /** Whether the end of the line would change the state. */
  get lineMatters(): boolean {
    return this.#spans.length > 0 || this.#openingLength > 0 || this.#closing || this.#runLength > 0
  }

  /** Whether the text is inside a fence, or on the line that may open one. */
  get isFenced(): boolean {
    if (this.#runLength > 0) this.#endRun()
    return this.#fence !== 0 || this.#openingLength > 0
  }

  /** Checks whether a plain opener at a position is inside inline code; undefined until more text arrives. */
  isInline(input: InputBuffer, position: number): boolean | undefined {
    if (this.#spans.length === 0) return false
    const closes = this.#ahead.closes(input, position, this.#spans)
    if (closes === false) this.#spans = []
    return closes
  }

  /** Reads a mark; `indent` is the white space before it on its line, -1 if other text precedes it. */
  mark(unit: number, indent: number, adjacent: boolean): void {
    if (this.#runLength > 0 && (!adjacent || unit !== this.#runUnit)) this.#endRun()
    if (this.#runLength === 0) {
      this.#runUnit = unit
      this.#runIndent = indent
    }
    this.#runLength++
  }

  /** Reads text without marks since the last mark or call. */
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
    } else if (this.#fence === 0) this.ended ??= { kind: 'inline', by: 'line' }
    if (this.#closing) {
      this.#fence = 0
      this.ended = { kind: 'fence', by: 'line' }
    }
    this.#openingLength = 0
    this.#spans = []
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
    } else if (this.#fences && startsLine && length >= MIN_FENCE && this.#spans.length === 0) {
      this.#openingLength = length
    } else this.#inlineRun(length)
  }

  #openFence(unit: number, length: number): void {
    this.#fence = unit
    this.#fenceLength = length
  }

  /** A run closes the span that a run of its length opened, and all spans inside it; otherwise it may open one. */
  #inlineRun(length: number): void {
    if (this.#openingLength > 0) {
      this.#spans = this.#inline ? [this.#openingLength] : []
      this.#openingLength = 0
    }
    if (!this.#inline) return
    const opener = this.#spans.indexOf(length)
    if (opener === -1) this.#spans.push(length)
    else {
      this.#spans.length = opener
      this.ended = { kind: 'inline', by: 'run' }
    }
  }
}

/**
 * Looks ahead on a line for the run of backticks that closes inline code. Reads each unit once, however often it is called, and reads only
 * the newest chunk of the buffer.
 */
class LineAhead {
  readonly #limit: number
  /** The position read so far, and the run of backticks that ends there. */
  #position = 0
  #run = 0
  /** The end of the line; undefined until it is known. */
  #end: number | undefined
  /** The start of the last run of each length: the lengths differ, so a line has few of them. */
  readonly #last = new Map<number, number>()

  /** The end of the line must be within this many units. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Checks whether one of the runs that are open before a position closes after it, on the same line. Undefined until more text arrives;
   * true if the line is longer than the limit.
   */
  closes(input: InputBuffer, position: number, open: readonly number[]): boolean | undefined {
    this.#begin(position)
    const isClosed = (): boolean =>
      open.some((length) => (this.#last.get(length) ?? -1) >= position)
    const until = position + this.#limit
    while (!isClosed() && this.#end === undefined && this.#position < until)
      if (!this.#readRun(input, until)) return undefined
    return isClosed() || this.#end === undefined || this.#end >= until
  }

  #begin(position: number): void {
    const isKnown = position <= this.#position && position <= (this.#end ?? position)
    if (isKnown) return
    this.#position = position
    this.#run = 0
    this.#end = undefined
    this.#last.clear()
  }

  /** Reads up to the end of the next run, of the line or of the limit; returns false if more text must arrive first. */
  #readRun(input: InputBuffer, until: number): boolean {
    for (; this.#position < until; this.#position++) {
      const isOver = this.#position >= input.end
      if (isOver && !input.ended) return false
      const unit = isOver ? code.newline : input.codeAt(this.#position)
      if (unit === code.backtick) this.#run++
      else if (this.#run > 0) {
        this.#last.set(this.#run, this.#position - this.#run)
        this.#run = 0
        return true
      } else if (unit === code.newline) {
        this.#end = this.#position
        return true
      }
    }
    return true
  }
}
