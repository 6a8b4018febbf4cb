import type { JsonObject } from '../../json/index.ts'
import { createSseDecoder } from '../../sse/index.ts'
import { differences } from './differences.ts'
import { type Feeding, feedings } from './feedings.ts'

/** Checks how bytes are decoded into events, in the case's own pieces and in every other way. */
export function checkSse(input: JsonObject, expected: JsonObject): string[] {
  const chunks = (input['chunks_b64'] as readonly string[]).map(
    (text) => new Uint8Array(Buffer.from(text, 'base64')),
  )
  const own: Feeding = { name: 'its own pieces', cut: () => chunks }
  const bytes = new Uint8Array(Buffer.concat(chunks))
  return [own, ...feedings()].flatMap((feeding) =>
    differences(expected, decode(feeding.cut(bytes))).map((line) => `[${feeding.name}] ${line}`),
  )
}

function decode(pieces: Iterable<Uint8Array>): JsonObject {
  const events: JsonObject[] = []
  let retry: number | null = null
  const decoder = createSseDecoder({
    onEvent: ({ data, event = null, id = null }) => events.push({ data, event, id }),
    onRetry: (retryMs) => (retry = retryMs),
  })
  for (const piece of pieces) decoder.feed(piece)
  const data = events.map((event) => event['data'] ?? null)
  return { events, data, last_event_id: decoder.lastEventId, retry }
}
