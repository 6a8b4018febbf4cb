import { frameTooLarge } from './frame-too-large.ts'

const CARRIAGE_RETURN = 0x0d

/** Takes lines. */
export interface LineSink {
  /** Takes the line that is the part of `text` from `start` up to `end`, its line end left out. */
  takeLine(text: string, start: number, end: number): void
}

/** Cuts text that arrives in pieces into lines, at CR, LF or CRLF [SSE-1], and looks at each character once. */
export class LineSplitter {
  readonly #sink: LineSink
  readonly #maxLineChars: number
  /** An unfinished line. Only the first piece can be a slice, so at most one larger chunk is kept alive. */
  #pieces: string[] = []
  #heldChars = 0
  #afterCarriageReturn = false

  constructor(sink: LineSink, maxLineChars: number) {
    this.#sink = sink
    this.#maxLineChars = maxLineChars
  }

  feed(text: string): void {
    let start = this.#afterCarriageReturn && text.startsWith('\n') ? 1 : 0
    let carriageReturn = find(text, '\r', start)
    let lineFeed = find(text, '\n', start)
    let end = Math.min(carriageReturn, lineFeed)
    while (end < text.length) {
      this.#endLine(text, start, end)
      start = end + 1
      if (end === carriageReturn) {
        if (lineFeed === start) start++
        carriageReturn = find(text, '\r', start)
      }
      if (lineFeed < start) lineFeed = find(text, '\n', start)
      end = Math.min(carriageReturn, lineFeed)
    }
    if (start < text.length) this.#hold(text.slice(start))
    this.#afterCarriageReturn = text.charCodeAt(text.length - 1) === CARRIAGE_RETURN
  }

  #endLine(text: string, start: number, end: number): void {
    this.#checkLength(this.#heldChars + end - start)
    if (this.#heldChars === 0) return this.#sink.takeLine(text, start, end)
    this.#pieces.push(text.slice(start, end))
    const line = this.#pieces.join('')
    this.#pieces = []
    this.#heldChars = 0
    this.#sink.takeLine(line, 0, line.length)
  }

  #hold(piece: string): void {
    this.#pieces.push(piece)
    this.#heldChars += piece.length
    this.#checkLength(this.#heldChars)
  }

  /** Measures finished lines too, so that chunking never decides what is too large. [SSE-7] */
  #checkLength(length: number): void {
    if (length > this.#maxLineChars)
      throw frameTooLarge('A line of the event stream', this.#maxLineChars)
  }
}

/** The position of a character at or after `from`, or the length of the text when there is none. */
function find(text: string, char: string, from: number): number {
  const position = text.indexOf(char, from)
  return position === -1 ? text.length : position
}
