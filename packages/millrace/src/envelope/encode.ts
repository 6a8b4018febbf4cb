import type { Envelope } from './envelope.ts'

/** Writes one message as the line of JSON that goes on the wire: base fields first, nothing escaped needlessly. [ENV-2] */
export function encodeEnvelope(envelope: Envelope): string {
  const { type, agent, final, delta, ...extras } = envelope
  const base = JSON.stringify({ type, agent, final, delta })
  // Joined by hand: in one object, a field with a number for a name would come first.
  const fields = JSON.stringify(extras)
  return fields === '{}' ? base : `${base.slice(0, -1)},${fields.slice(1)}`
}
