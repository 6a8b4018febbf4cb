import type { ModelEvent } from '../events/index.ts'

/** Something with a type: an event of the Messages API as its SDKs give it, or a `ModelEvent` of any model. */
export interface ProviderEvent {
  readonly type: string
}

/** What a formatter takes: bytes or text of server-sent events, cut anywhere, or events as objects. */
export type ProviderInput = Uint8Array | string | ProviderEvent

/** A field of each model event that no event of the Messages API with the same type has. */
const ownFields: Readonly<Record<ModelEvent['type'], string>> = {
  message_start: 'messageId',
  block_start: 'kind',
  block_delta: 'text',
  block_citation: 'citation',
  block_end: 'kind',
  message_end: 'outcome',
  notice: 'message',
}

/** Tells a model event from an event of the Messages API; both have a `message_start`. */
export function isModelEvent(event: ProviderEvent): event is ModelEvent {
  const { type } = event
  return Object.hasOwn(ownFields, type) && ownFields[type as ModelEvent['type']] in event
}
