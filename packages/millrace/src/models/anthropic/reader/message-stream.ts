import type { ModelEvent } from '../../../events/index.ts'
import {
  type FrameReader,
  malformedFrame,
  type MessageStreamOptions,
  type OpenBody,
  streamMessage,
} from '../../stream/index.ts'
import { toRequestFailure } from './failure.ts'
import { parseEvent } from './parse-event.ts'
import { createMessageReader, type MessageReaderOptions } from './message-reader.ts'

interface AnthropicStreamOptions
  extends Omit<MessageStreamOptions, 'toFailure'>, MessageReaderOptions {}

/** Sends a request and yields its message. The last event is exactly one `message_end`. */
export function streamAnthropicMessage(
  open: OpenBody,
  options: AnthropicStreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  return streamMessage(open, createFrameReader(options), {
    ...options,
    toFailure: toRequestFailure,
  })
}

function createFrameReader(options: MessageReaderOptions): FrameReader {
  const reader = createMessageReader(options)
  return {
    get ended() {
      return reader.ended
    },
    feed(frame) {
      const event = parseEvent(frame)
      return event === undefined ? reader.end(malformedFrame(frame.data)) : reader.feed(event)
    },
    end: (cut) => reader.end(cut),
  }
}
