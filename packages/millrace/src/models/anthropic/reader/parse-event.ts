import { type JsonObject, parseJsonObject } from '../../../json/index.ts'
import type { SseEvent } from '../../../sse/index.ts'

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
