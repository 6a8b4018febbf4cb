import { createEventDecoder, type EventDecoderOptions, type SseDecoder } from './event-decoder.ts'

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
