import type { JsonObject } from 'millrace'
import { createSseDecoder } from 'millrace'
import type { Task } from '../implementation.ts'
import { fedBytes } from './fed-pieces.ts'

/** Decodes the bytes of a case into server-sent events. */
export function decodeEvents(task: Task): JsonObject {
  const events: JsonObject[] = []
  let retry: number | null = null
  const decoder = createSseDecoder({
    onEvent: ({ data, event = null, id = null }) => events.push({ data, event, id }),
    onRetry: (retryMs) => (retry = retryMs),
  })
  for (const piece of fedBytes(task)) decoder.feed(piece)
  return { events, last_event_id: decoder.lastEventId, retry }
}
