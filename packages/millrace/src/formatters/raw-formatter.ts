import { isMillraceError } from '../errors/index.ts'
import { type MessageCut, toBodyCut } from '../models/stream/index.ts'
import { createSseDecoder, type SseFrame } from '../sse/index.ts'
import {
  type Formatter,
  isModelEvent,
  type ProviderEvent,
  type ProviderInput,
} from './formatter.ts'
import { createMessageEvents, toErrorEvent } from './message-events.ts'
import { MAX_FRAME_CHARS } from './provider-reader.ts'

/** Options of a raw formatter. */
export interface RawFormatterOptions {
  /** Maximum length of a provider frame, in UTF-16 units. */
  readonly maxFrameChars?: number
}

/**
 * Forwards a provider's frames with their data unchanged. Model events become events of the Messages API, which
 * the official SDK reads.
 */
export function rawFormatter({
  maxFrameChars = MAX_FRAME_CHARS,
}: RawFormatterOptions = {}): Formatter {
  const messageEvents = createMessageEvents()
  let frames: SseFrame[] = []
  let isOver = false
  /** Whether the last event of a message was the last input. */
  let isAtEnd = false
  const decoder = createSseDecoder({
    maxFrameChars,
    onEvent: ({ data, event, id }) =>
      frames.push({ data, ...(event !== undefined && { event }), ...(id !== undefined && { id }) }),
  })

  function fail(cut: MessageCut): void {
    isOver = true
    if (cut.outcome !== 'aborted' && !isAtEnd) frames.push(toFrame(toErrorEvent(cut.failure)))
  }

  function feedBytes(bytes: Uint8Array | string): void {
    try {
      decoder.feed(bytes)
    } catch (error) {
      if (!isMillraceError(error)) throw error
      fail(toBodyCut(error))
    }
  }

  function feedAny(input: ProviderInput): void {
    if (typeof input === 'string' || input instanceof Uint8Array) return feedBytes(input)
    if (!isModelEvent(input)) return void frames.push(toFrame(input))
    for (const event of messageEvents.take(input)) frames.push(toFrame(event))
  }

  function take(): SseFrame[] {
    const taken = frames
    const last = taken.at(-1)
    if (last !== undefined) isAtEnd = last.event === 'message_stop'
    frames = []
    return taken
  }

  return {
    done: undefined,
    get isOver() {
      return isOver
    },
    feed(input) {
      if (!isOver) feedAny(input)
      return take()
    },
    finish(cut) {
      // Without a cut the stream just ended, and missing events are the provider's fault.
      if (cut !== undefined && !isOver) fail(cut)
      isOver = true
      return take()
    },
  }
}

function toFrame(event: ProviderEvent): SseFrame {
  return { event: event.type, data: JSON.stringify(event) }
}
