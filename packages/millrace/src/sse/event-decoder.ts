import { MillraceError } from '../errors/index.ts'

interface EventDecoderOptions {
  readonly onEvent: (event: SseEvent) => void
  /** Receives each field that is not part of an event. The name of a comment is empty. */
  readonly onField?: (name: string, value: string) => void
  /** Maximum length of a line and of the data of one event, in UTF-16 units. [SSE-7] */
  readonly maxFrameChars?: number
}

/** A push decoder of an event stream. */
export interface SseDecoder {
  /**
   * Decodes the next chunk, bytes split at any position or text, and calls back for each completed event. An unfinished event is never
   * emitted [SSE-6]. After an exception, from the bound or a callback, the decoder must not be used.
   */
  feed(chunk: Uint8Array | string): void
  /** The id of the last completed event; empty before the first. An incomplete event does not change it. */
  readonly lastEventId: string
}

/** Creates a decoder that emits events and passes all other fields on unchanged. [SSE-1] */
export function createEventDecoder({
  onEvent,
  onField,
  maxFrameChars = 8 * 1024 * 1024,
}: EventDecoderOptions): SseDecoder {
  const utf8 = new TextDecoder(undefined, { ignoreBOM: true })
  /** Prefix of the next chunk to skip: a byte order mark, or the LF of a split CRLF. */
  let skip = '\ufeff'
  /** An unfinished line. Only its first part can be a slice, so it keeps at most one larger chunk alive. */
  let partialLine = ''
  let id: string | undefined
  let event: string | undefined
  /** The data lines so far, joined. Here too, only the first can be a slice. */
  let data: string | undefined

  /** Checks the bound. Complete lines are checked too, so that chunk boundaries never change the result. [SSE-7] */
  function bounded(text: string): string {
    if (text.length > maxFrameChars)
      throw new MillraceError('frame_too_large', `A frame is over maxFrameChars, ${maxFrameChars}.`)
    return text
  }

  function processLine(line: string): void {
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
    // The id is set only here, so that an incomplete event is requested again.
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
        processLine(bounded(partialLine + lines.slice(start, end)))
        partialLine = ''
      }
      partialLine = bounded(partialLine + lines.slice(start))
    },
  }
  return decoder
}

/** Copies a slice. V8 keeps a whole chunk alive for a slice of 13 characters or more. */
function detach(slice: string): string {
  return ` ${slice}`.slice(1)
}

/** One event of a stream. */
export interface SseEvent {
  /** The data lines, joined with LF. The string may share memory with its network chunk: parse it, or copy it before storing it. */
  readonly data: string
  /** The type of the event; undefined means the default, `message`. */
  readonly event: string | undefined
  /** The id field of this frame, if present. The effective id is `lastEventId` of the decoder. */
  readonly id: string | undefined
}

/** Options shared by the SSE decoders. */
export interface SseDecodeOptions extends Pick<EventDecoderOptions, 'maxFrameChars'> {
  /** Receives each comment, such as a heartbeat, without its colon. */
  readonly onComment?: (comment: string) => void
  /** Receives the reconnection delay that the sender requests. */
  readonly onRetry?: (retryMs: number) => void
}

/** Options of {@link createSseDecoder}. */
export interface SseDecoderOptions extends SseDecodeOptions, Pick<EventDecoderOptions, 'onEvent'> {}

/** Creates a decoder that follows the WHATWG rules for `text/event-stream`. [SSE-1] */
export function createSseDecoder({
  onComment,
  onRetry,
  ...options
}: SseDecoderOptions): SseDecoder {
  return createEventDecoder({
    ...options,
    onField(name, value) {
      if (name === '') onComment?.(value)
      else if (name === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value))
    },
  })
}
