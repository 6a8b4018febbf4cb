import { MillraceError } from '../errors/index.ts'
import type { SseEvent } from './sse-event.ts'

/** What a decoder needs: where its events go. */
export interface EventDecoderOptions {
  readonly onEvent: (event: SseEvent) => void
  /** Receives each field that is no part of an event; a comment has no name. */
  readonly onField?: (name: string, value: string) => void
  /** The longest line, and the longest data of one event, in UTF-16 units. [SSE-7] */
  readonly maxFrameChars?: number
}

/** Decodes an event stream that is pushed into it. */
export interface SseDecoder {
  /**
   * Takes the next piece, bytes cut anywhere or text, and calls back for all that it completes; an unfinished event
   * is never told [SSE-6]. An exception, of the bound or of a callback, ends the stream: feed nothing after it.
   */
  feed(chunk: Uint8Array | string): void
  /** The id of the last event that ended; empty before the first. A cut event does not change it. */
  readonly lastEventId: string
}

/** Creates a decoder that tells events, and hands on all other fields as they are. [SSE-1] */
export function createEventDecoder({
  onEvent,
  onField,
  maxFrameChars = 8 * 1024 * 1024,
}: EventDecoderOptions): SseDecoder {
  const utf8 = new TextDecoder(undefined, { ignoreBOM: true })
  /** What the next text may begin with and is no part of a line: a byte order mark, or the LF of a cut CRLF. */
  let skip = '\ufeff'
  /** An unfinished line. Only its first piece can be a slice, so at most one larger chunk is kept alive. */
  let held = ''
  let id: string | undefined
  let event: string | undefined
  /** The data lines so far, joined. Again only the first can be a slice. */
  let data: string | undefined

  /** Measures finished lines too, so that chunking never decides what is too large. [SSE-7] */
  function bounded(text: string): string {
    if (text.length > maxFrameChars)
      throw new MillraceError('frame_too_large', `A frame is over maxFrameChars, ${maxFrameChars}.`)
    return text
  }

  function takeLine(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (line === '') endEvent()
    else if (name === 'data')
      data = data === undefined ? value : bounded(`${data}\n${detach(value)}`)
    else if (name === 'id') id = value.includes('\0') ? id : value
    else if (name === 'event') event = value || undefined
    else onField?.(name, value)
  }

  function endEvent(): void {
    // The id counts only from here on, so that a cut event is asked for again.
    decoder.lastEventId = id ?? decoder.lastEventId
    const ended = { data, event, id }
    id = event = data = undefined
    if (ended.data !== undefined) onEvent(ended as SseEvent)
  }

  const decoder = {
    lastEventId: '',
    feed(chunk: Uint8Array | string) {
      const text = typeof chunk === 'string' ? chunk : utf8.decode(chunk, { stream: true })
      if (text === '') return
      let start = text.startsWith(skip) ? skip.length : 0
      skip = text.endsWith('\r') ? '\n' : ''
      const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
      for (let end; (end = lines.indexOf('\n', start)) >= 0; start = end + 1) {
        takeLine(bounded(held + lines.slice(start, end)))
        held = ''
      }
      held = bounded(held + lines.slice(start))
    },
  }
  return decoder
}

/** V8 keeps a whole chunk alive for a slice of 13 characters; a slice of this copy keeps only the copy. */
function detach(slice: string): string {
  return ` ${slice}`.slice(1)
}
