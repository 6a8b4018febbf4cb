import { code } from '../characters.ts'
import type { Tape } from './tape.ts'

/**
 * Looks ahead on a line for the run of backticks that closes inline code. It reads each unit once, however often it
 * is asked, and asks the tape for the newest chunk only.
 */
export class LineAhead {
  readonly #limit: number
  /** How far the line has been read, and the run of backticks that ends there. */
  #position = 0
  #run = 0
  /** Where the line ends; undefined while that is not known. */
  #end: number | undefined
  /** Where the last run of each length begins: the lengths differ, so a line has few of them. */
  readonly #last = new Map<number, number>()

  /** The end of the line must come within so many units. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Whether one of the runs that are open before a position closes after it, on the same line. Undefined while more
   * text must tell; true if the line is longer than the limit.
   */
  closes(tape: Tape, position: number, open: readonly number[]): boolean | undefined {
    this.#begin(position)
    const isClosed = (): boolean =>
      open.some((length) => (this.#last.get(length) ?? -1) >= position)
    const until = position + this.#limit
    while (!isClosed() && this.#end === undefined && this.#position < until)
      if (!this.#readRun(tape, until)) return undefined
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

  /** Reads up to the end of the next run, of the line or of the limit; false if more text must come first. */
  #readRun(tape: Tape, until: number): boolean {
    for (; this.#position < until; this.#position++) {
      const isOver = this.#position >= tape.end
      if (isOver && !tape.ended) return false
      const unit = isOver ? code.newline : tape.codeAt(this.#position)
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
