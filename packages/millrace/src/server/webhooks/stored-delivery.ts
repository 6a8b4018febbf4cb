import type { NewCommand } from '../../stores/port/index.ts'
import type { RunEvent } from '../../webhooks/index.ts'
import type { Endpoint } from './webhook-options.ts'

/** A delivery as stored in the inbox of a session. */
export interface StoredDelivery {
  readonly endpoint: string
  /** Time of the event, in milliseconds since the epoch. */
  readonly createdAt: number
  readonly eventId: string
  /** The body of the request. */
  readonly payload: string
}

/** No other command begins like this: theirs begin with a run number. */
const START = '{"webhook":'

/** Encodes a delivery as a command. */
export function encodeDelivery(event: RunEvent, endpoint: Endpoint): NewCommand {
  const delivery: StoredDelivery = {
    endpoint: endpoint.id,
    createdAt: Date.parse(event.timestamp),
    eventId: event.id,
    payload: JSON.stringify(event),
  }
  const key = `webhook:${event.id}:${endpoint.id}`
  return { key, body: JSON.stringify({ webhook: delivery }) }
}

/** Decodes a command that is a delivery; undefined for other commands. */
export function decodeDelivery({ body }: NewCommand): StoredDelivery | undefined {
  if (!body.startsWith(START)) return undefined
  return (JSON.parse(body) as { readonly webhook: StoredDelivery }).webhook
}
