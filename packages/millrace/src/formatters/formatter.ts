import type { MessageCut } from '../models/stream/index.ts'
import type { SseFrame } from '../sse/index.ts'
import type { ModelEvent } from '../events/index.ts'

/** Converts a provider's stream to frames for clients, without I/O and without waiting. */
export interface Formatter {
  /** The frame that ends the stream on the wire, if the format has one. [SSE-5] */
  readonly done: SseFrame | undefined
  /** True once no further input can have an effect: the stream has failed or is finished. */
  readonly isOver: boolean
  /** Reads the next input and returns its frames; `encodeSse` encodes them. */
  feed(input: ProviderInput): SseFrame[]
  /** Ends the stream, closes open blocks, and reports an error if the stream ended too early. */
  finish(cut?: MessageCut): SseFrame[]
}

/** An object with a type: an event of the Messages API from an SDK, or a `ModelEvent` of any model. */
export interface ProviderEvent {
  readonly type: string
}

/** Input of a formatter: bytes or text of server-sent events, cut anywhere, or events as objects. */
export type ProviderInput = Uint8Array | string | ProviderEvent

/** A field of each model event that the Messages API event of the same type does not have. */
const ownFields: Readonly<Record<ModelEvent['type'], string>> = {
  message_start: 'messageId',
  block_start: 'kind',
  block_delta: 'text',
  block_citation: 'citation',
  block_end: 'kind',
  message_end: 'outcome',
  notice: 'message',
}

/** Distinguishes a model event from an event of the Messages API; both have a `message_start`. */
export function isModelEvent(event: ProviderEvent): event is ModelEvent {
  const { type } = event
  return Object.hasOwn(ownFields, type) && ownFields[type as ModelEvent['type']] in event
}
