import type { Envelope } from './envelope.ts'

/** Writes one message as the line of JSON that goes on the wire: base fields first, nothing escaped needlessly. [ENV-2] */
export function encodeEnvelope(envelope: Envelope): string {
  const { type, agent, final, delta, ...extras } = envelope
  return JSON.stringify({ type, agent, final, delta, ...extras })
}
