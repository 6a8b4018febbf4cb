import type { ModelEvent, ModelNotice } from '../events/index.ts'
import {
  type FrameReader,
  malformedFrame,
  type MessageStreamOptions as StreamOptions,
  type OpenBody,
  parseFrame,
  streamMessage as streamFrames,
} from '../model-stream/index.ts'
import { toRequestFailure } from './failure.ts'
import { createMessageReader } from './message-reader.ts'

/** How a message is streamed. */
export type MessageStreamOptions = Omit<StreamOptions, 'toFailure'>

/** Makes a request and yields its message, with exactly one `message_end` as the last event. */
export function streamMessage(
  open: OpenBody,
  options: MessageStreamOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  return streamFrames(open, createFrameReader(), { ...options, toFailure: toRequestFailure })
}

function createFrameReader(): FrameReader {
  const reader = createMessageReader()
  return {
    get ended() {
      return reader.ended
    },
    feed({ data, event }) {
      const value = parseFrame(data)
      if (value === undefined) return reader.end(malformedFrame(data))
      const isUntyped = value['type'] === undefined && event !== undefined
      return reader.feed(isUntyped ? { ...value, type: event } : value)
    },
    end: (cut) => reader.end(cut),
  }
}
