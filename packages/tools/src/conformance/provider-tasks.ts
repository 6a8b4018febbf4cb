import { isJsonObject, type JsonObject, encodeSse } from 'millrace'
import { feedings } from './feedings/feedings.ts'
import type { CaseTask } from './kinds/kind-check.ts'

/** Yields every feeding of provider events: as values, and as bytes with every way of cutting them. */
export function* providerTasks({ events: given, ...input }: JsonObject): Generator<CaseTask> {
  const events = Array.isArray(given) ? given.filter(isJsonObject) : []
  yield { input, feeding: 'objects', fed: { form: 'values', pieces: events } }
  const frames = events.map((event) =>
    encodeSse({ event: String(event['type']), data: JSON.stringify(event) }),
  )
  const bytes = new TextEncoder().encode(frames.join(''))
  for (const { name, cut } of feedings())
    yield { input, feeding: name, fed: { form: 'bytes', pieces: cut(bytes) } }
}
