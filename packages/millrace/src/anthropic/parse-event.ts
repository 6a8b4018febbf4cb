import { type JsonObject, parseJsonObject } from '../json/index.ts'
import type { SseEvent } from '../sse/index.ts'

/** Reads an event of the API; its type may stand in the frame alone. Undefined if the frame holds no JSON object. */
export function parseEvent({
  data,
  event: type,
}: Pick<SseEvent, 'data' | 'event'>): JsonObject | undefined {
  const event = parseJsonObject(data)
  const isUntyped = event?.['type'] === undefined && type !== undefined
  return event !== undefined && isUntyped ? { ...event, type } : event
}
