import { EventBuilder } from './event-builder.ts'
import { LineSplitter } from './line-splitter.ts'
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
  /** Ends the stream and drops an unfinished event [SSE-6]; the next `feed` begins another stream. */
  finish(): void
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
  const builder = new EventBuilder({ onEvent, onComment, onRetry, maxDataChars: maxFrameChars })
  let take = beginStream()

  function beginStream(): (chunk: Uint8Array | string) => void {
    const splitter = new LineSplitter(builder, maxFrameChars)
    // Only the first character of a stream can be a byte order mark, so it is looked for here.
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
    let atStart = true
    return (chunk) => {
      const text = typeof chunk === 'string' ? chunk : utf8.decode(chunk, { stream: true })
      if (text === '') return
      splitter.feed(atStart && text.startsWith('\ufeff') ? text.slice(1) : text)
      builder.settle()
      atStart = false
    }
  }

  return {
    feed(chunk) {
      try {
        take(chunk)
      } catch (error) {
        builder.drop()
        take = () => {
          throw error
        }
        throw error
      }
    },
    finish() {
      builder.drop()
      take = beginStream()
    },
    get lastEventId() {
      return builder.lastEventId
    },
  }
}
