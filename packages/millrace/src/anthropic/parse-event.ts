import { type JsonObject, parseJsonObject } from '../json/index.ts'
import type { SseEvent } from '../sse/index.ts'

/** Events that are parts of a message: it is broken where one cannot be read. */
const partsOfMessage: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
])

/** The longest part of an error's words that is kept. */
const maxErrorChars = 500

/**
 * Reads an event of the API; its type may stand in the frame alone. Undefined if the frame holds no JSON object and
 * may be a part of the message.
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

/** Gateways send pings without data, errors in words, and events of their own. */
function toPlainEvent(type: string, data: string): JsonObject {
  if (type !== 'error') return { type, data }
  return { type, error: { type: 'api_error', message: data.slice(0, maxErrorChars) } }
}
