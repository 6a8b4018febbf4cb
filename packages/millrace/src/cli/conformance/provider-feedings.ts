import { createMessageReader } from '../../anthropic/index.ts'
import type { ModelEvent } from '../../events/index.ts'
import type { ProviderInput } from '../../formatters/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { encodeSse } from '../../sse/index.ts'
import { feedings } from './feedings.ts'

/** One way in which the events of a provider reach a formatter. */
export interface ProviderFeeding {
  readonly name: string
  readonly inputs: Iterable<ProviderInput>
}

/** Every way of giving the same events: as objects, as model events, and as bytes in every way of cutting them. */
export function providerFeedings(events: readonly JsonObject[]): readonly ProviderFeeding[] {
  const frames = events.map((event) =>
    encodeSse({ event: String(event['type']), data: JSON.stringify(event) }),
  )
  const bytes = new TextEncoder().encode(frames.join(''))
  return [
    { name: 'objects', inputs: events as readonly (JsonObject & { type: string })[] },
    { name: 'model events', inputs: toModelEvents(events) },
    ...feedings().map(({ name, cut }) => ({ name, inputs: cut(bytes) })),
  ]
}

function toModelEvents(events: readonly JsonObject[]): ModelEvent[] {
  let reader = createMessageReader()
  return events.flatMap((event) => {
    if (reader.ended && event['type'] === 'message_start') reader = createMessageReader()
    return reader.feed(event)
  })
}
