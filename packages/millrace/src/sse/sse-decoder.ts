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
   * Takes the next piece, bytes cut anywhere or text, and calls back for all that it completes. An event that is
   * not finished when nothing more comes was never told [SSE-6]. An exception, of the bound or of a callback,
   * ends the stream: later calls throw it again.
   */
  feed(chunk: Uint8Array | string): void
  /** The id of the last event that ended; empty before the first. A cut event does not change it. */
  readonly lastEventId: string
}

const DEFAULT_MAX_FRAME_CHARS = 8 * 1024 * 1024

/** Creates a decoder that follows the WHATWG rules for `text/event-stream`. [SSE-1] */
export function createSseDecoder({
  onEvent,
  onComment,
  onRetry,
  maxFrameChars = DEFAULT_MAX_FRAME_CHARS,
}: SseDecoderOptions): SseDecoder {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  /** What the next text may begin with and is no part of a line: a byte order mark, or the LF of a cut CRLF. */
  let skip = '\ufeff'
  /** An unfinished line. Only its first piece can be a slice, so at most one larger chunk is kept alive. */
  let held = ''
  let lastEventId = ''
  let id: string | undefined
  let event: string | undefined
  /** The data lines so far, joined. Again only the first can be a slice. */
  let data: string | undefined
  let failure: unknown

  function splitLines(text: string): void {
    let start = text.startsWith(skip) ? skip.length : 0
    skip = text.endsWith('\r') ? '\n' : ''
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
    for (let end; (end = lines.indexOf('\n', start)) >= 0; start = end + 1) {
      takeLine(held + lines.slice(start, end))
      held = ''
    }
    held += lines.slice(start)
    checkLength(held)
  }

  function takeLine(line: string): void {
    checkLength(line)
    if (line === '') dispatch()
    else if (line.startsWith('data: ')) addData(line.slice(6)) // most of what comes
    else {
      const colon = line.indexOf(':')
      if (colon < 0) takeField(line, '')
      else
        takeField(line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1))
    }
  }

  function takeField(name: string, value: string): void {
    if (name === 'id') id = value.includes('\0') ? id : value
    else if (name === 'data') addData(value)
    else if (name === 'event') event = value || undefined
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value))
    else if (name === '') onComment?.(value)
  }

  function addData(value: string): void {
    data = data === undefined ? value : `${data}\n${detach(value)}`
    checkLength(data)
  }

  /** The id counts only from here on, so that a cut event is asked for again. */
  function dispatch(): void {
    lastEventId = id ?? lastEventId
    const ended = { data, event, id }
    id = event = data = undefined
    if (ended.data !== undefined) onEvent(ended as SseEvent)
  }

  /** Measures finished lines too, so that chunking never decides what is too large. [SSE-7] */
  function checkLength(text: string): void {
    if (text.length <= maxFrameChars) return
    throw new MillraceError(
      'frame_too_large',
      `A frame is longer than ${maxFrameChars} characters; raise maxFrameChars or send smaller ones.`,
      { details: { limit: maxFrameChars } },
    )
  }

  return {
    feed(chunk) {
      if (failure) throw failure
      const text = typeof chunk === 'string' ? chunk : utf8.decode(chunk, { stream: true })
      try {
        if (text) splitLines(text)
      } catch (error) {
        failure = error
        throw error
      }
    },
    get lastEventId() {
      return lastEventId
    },
  }
}

/** V8 keeps a whole chunk alive for a slice of 13 characters; a slice of this copy keeps only the copy. */
function detach(slice: string): string {
  return ` ${slice}`.slice(1)
}
