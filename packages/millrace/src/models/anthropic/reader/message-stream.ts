import type { ModelEvent } from '../../../events/index.ts'
import {
  type FrameReader,
  malformedFrame,
  type MessageStreamOptions as StreamOptions,
  type OpenBody,
  streamMessage as streamFrames,
} from '../../stream/index.ts'
import { toRequestFailure } from './failure.ts'
import { parseEvent } from './parse-event.ts'
import { createMessageReader, type MessageReaderOptions } from './message-reader.ts'

/** Options of {@link streamMessage}. */
export interface MessageStreamOptions
  extends Omit<StreamOptions, 'toFailure'>, MessageReaderOptions {}

/** Sends a request and yields its message. The last event is exactly one `message_end`. */
export function streamMessage(
  open: OpenBody,
  options: MessageStreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  return streamFrames(open, createFrameReader(options), { ...options, toFailure: toRequestFailure })
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
