import { code } from '../../characters.ts'
import type { InputBuffer } from './input-buffer.ts'

/**
 * Looks ahead on a line for the run of backticks that closes inline code. Reads each unit once, however often it
 * is called, and reads only the newest chunk of the buffer.
 */
export class LineAhead {
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
   * Checks whether one of the runs that are open before a position closes after it, on the same line. Undefined
   * until more text arrives; true if the line is longer than the limit.
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

  /**
   * Reads up to the end of the next run, of the line or of the limit; returns false if more text must arrive
   * first.
   */
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
