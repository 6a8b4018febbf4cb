import type { ModelEvent } from '../../../events/index.ts'
import {
  type FrameReader,
  malformedFrame,
  type MessageStreamOptions,
  type OpenBody,
  streamMessage,
} from '../../stream/index.ts'
import { toRequestFailure } from './failure.ts'
import { createMessageReader, type MessageReaderOptions } from './message-reader.ts'
import { type JsonObject, parseJsonObject } from '../../../json/index.ts'
import type { SseEvent } from '../../../sse/index.ts'

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

/** Events that are parts of a message. An unreadable one fails the message. */
const partsOfMessage: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
])

/** Maximum length of an error text. */
const maxErrorChars = 500

/**
 * Parses an API event. Its type may be in the frame only. Returns undefined if the frame holds no JSON object and may
 * be part of the message.
 */
export function parseEvent({
  data,
  event: type,
}: Pick<SseEvent, 'data' | 'event'>): JsonObject | undefined {
  const event = parseJsonObject(data)
  if (event !== undefined) {
    return event['type'] === undefined && type !== undefined ? { ...event, type } : event
  }
  return type === undefined || partsOfMessage.has(type) ? undefined : toPlainEvent(type, data)
}

/** Creates an event from plain text. Gateways send pings without data, errors as text, and their own events. */
function toPlainEvent(type: string, data: string): JsonObject {
  if (type !== 'error') return { type, data }
  return { type, error: { type: 'api_error', message: data.slice(0, maxErrorChars) } }
}
