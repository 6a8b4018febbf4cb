import type { Envelope } from './envelope.ts'

/** Encodes one frame as a line of JSON: base fields first, no needless escapes. [ENV-2] */
export function encodeEnvelope(envelope: Envelope): string {
  const { type, agent, final, delta, ...extras } = envelope
  const base = JSON.stringify({ type, agent, final, delta })
  // Joined as text: in one object, a field with a numeric name would come first.
  const fields = JSON.stringify(extras)
  return fields === '{}' ? base : `${base.slice(0, -1)},${fields.slice(1)}`
}
