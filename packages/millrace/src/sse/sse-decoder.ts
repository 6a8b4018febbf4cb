import { MillraceError } from '../errors/index.ts'
import type { SseEvent } from './sse-event.ts'

/** What may be told to a decoder whatever it is for. */
export interface SseDecodeOptions {
  /** Receives each comment, such as a heartbeat, without its colon. */
  readonly onComment?: (comment: string) => void
  /** Receives the reconnection time that the sender asks for. */
  readonly onRetry?: (retryMs: number) => void
  /** The longest line, and the longest data of one event, in UTF-16 units. [SSE-7] */
  readonly maxFrameChars?: number
}

/** What a decoder needs: where its events go. */
export interface SseDecoderOptions extends SseDecodeOptions {
  readonly onEvent: (event: SseEvent) => void
}

/** Decodes an event stream that is pushed into it. */
export interface SseDecoder {
  /**
   * Takes the next piece, bytes cut anywhere or text, and calls back for all that it completes. An
   * exception, of the bound or of a callback, ends the stream: later calls throw it again.
   */
  feed(chunk: Uint8Array | string): void
  /** Ends the stream and drops an unfinished event [SSE-6]; nothing is fed after it. */
  finish(): void
  /** The id of the last event that ended; empty before the first. A cut event does not change it. */
  readonly lastEventId: string
}

const DEFAULT_MAX_FRAME_CHARS = 8 * 1024 * 1024

/** Creates a decoder that follows the WHATWG rules for `text/event-stream`. [SSE-1] */
export function createSseDecoder(options: SseDecoderOptions): SseDecoder {
  return new EventStreamDecoder(options)
}

class EventStreamDecoder implements SseDecoder {
  lastEventId = ''
  readonly #options: SseDecoderOptions
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  /** What the next text may begin with and is no part of a line: a byte order mark, or the LF of a cut CRLF. */
  #skip = '\ufeff'
  /** An unfinished line. Only its first piece can be a slice, so at most one larger chunk is kept alive. */
  #pieces: string[] = []
  #heldChars = 0
  #id: string | undefined
  #event: string | undefined
  /** Data lines of the current feed, joined; those of earlier feeds are in `#settled`. */
  #data: string | undefined
  #settled: string[] = []
  #dataChars = 0
  #failure: Error | undefined

  constructor(options: SseDecoderOptions) {
    this.#options = options
  }

  feed(chunk: Uint8Array | string): void {
    if (this.#failure !== undefined) throw this.#failure
    const text = typeof chunk === 'string' ? chunk : this.#utf8.decode(chunk, { stream: true })
    try {
      if (text !== '') this.#splitLines(text)
    } catch (error) {
      this.finish()
      this.#failure = error as Error
      throw error
    }
  }

  finish(): void {
    this.#pieces = []
    this.#heldChars = 0
    this.#drop()
  }

  /** Looks at each character once: what is held has no line end in it. */
  #splitLines(text: string): void {
    let start = text.startsWith(this.#skip) ? this.#skip.length : 0
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
    this.#skip = text.endsWith('\r') ? '\n' : ''
    this.#settle()
  }

  #hold(piece: string): void {
    this.#pieces.push(piece)
    this.#heldChars += piece.length
    this.#checkLength(this.#heldChars)
  }

  #endLine(text: string, start: number, end: number): void {
    this.#checkLength(this.#heldChars + end - start)
    if (this.#heldChars === 0) return this.#takeLine(text, start, end)
    this.#pieces.push(text.slice(start, end))
    const line = this.#pieces.join('')
    this.#pieces = []
    this.#heldChars = 0
    this.#takeLine(line, 0, line.length)
  }

  /** The lines of nearly every frame are known by their start. */
  #takeLine(text: string, start: number, end: number): void {
    if (start === end) this.#dispatch()
    else if (text.startsWith('data: ', start)) this.#addData(text.slice(start + 6, end))
    else if (text.startsWith('id: ', start)) this.#setId(text.slice(start + 4, end))
    else this.#takeField(text.slice(start, end))
  }

  #takeField(line: string): void {
    const { onComment, onRetry } = this.#options
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#addData(value)
    else if (name === 'id') this.#setId(value)
    else if (name === 'event') this.#event = value || undefined
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value))
    else if (colon === 0) onComment?.(value)
  }

  #setId(value: string): void {
    if (!value.includes('\0')) this.#id = value
  }

  #addData(value: string): void {
    this.#checkLength(this.#dataChars + value.length)
    this.#dataChars += value.length + 1
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }

  /** The id counts only from here on, so that a cut event is asked for again. */
  #dispatch(): void {
    this.lastEventId = this.#id ?? this.lastEventId
    if (this.#dataChars === 0) return this.#drop()
    const event = { data: this.#wholeData(), event: this.#event, id: this.#id }
    this.#drop()
    this.#options.onEvent(event)
  }

  #wholeData(): string {
    if (this.#settled.length === 0) return this.#data ?? ''
    this.#settle()
    return this.#settled.join('\n')
  }

  /** Makes what waits for the event's end independent of the chunk that it came in. */
  #settle(): void {
    if (this.#data !== undefined) this.#settled.push(detach(this.#data))
    this.#data = undefined
  }

  /** Forgets the event in hand. */
  #drop(): void {
    this.#id = this.#event = this.#data = undefined
    this.#dataChars = 0
    if (this.#settled.length > 0) this.#settled = []
  }

  /** Measures finished lines too, so that chunking never decides what is too large. [SSE-7] */
  #checkLength(chars: number): void {
    const { maxFrameChars = DEFAULT_MAX_FRAME_CHARS } = this.#options
    if (chars <= maxFrameChars) return
    throw new MillraceError(
      'frame_too_large',
      `A line, or the data of one event, grew past ${maxFrameChars} characters; raise maxFrameChars or have the sender split its messages.`,
      { details: { limit: maxFrameChars } },
    )
  }
}

/** The position of a character at or after `from`, or the length of the text when there is none. */
function find(text: string, char: string, from: number): number {
  const position = text.indexOf(char, from)
  return position < 0 ? text.length : position
}

/** V8 keeps a whole chunk alive for a slice of 13 characters; a slice of this copy keeps only the copy. */
function detach(slice: string): string {
  return ` ${slice}`.slice(1)
}
