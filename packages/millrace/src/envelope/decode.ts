import { MillraceError } from '../errors/index.ts'
import type { Envelope } from './envelope.ts'

/** Long enough to recognise a line, short enough for a log. */
const EXCERPT_LENGTH = 120

/** Reads one line of the wire; types and fields that it does not know pass unchanged. [ENV-9] [ENV-10] */
export function decodeEnvelope(line: string): Envelope {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw malformed(line, 'is not JSON', cause)
  }
  const fault = faultOf(value)
  if (fault !== undefined) throw malformed(line, fault)
  return value as Envelope
}

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an object'
  const { type, agent, final, delta, id } = value as Record<string, unknown>
  if (typeof type !== 'string') return 'has no string `type`'
  if (typeof agent !== 'string') return 'has no string `agent`'
  if (typeof final !== 'boolean') return 'has no boolean `final`'
  if (typeof delta !== 'string') return 'has no string `delta`'
  if (id !== undefined && typeof id !== 'string') return 'has an `id` that is not a string'
  return undefined
}

function malformed(line: string, fault: string, cause?: unknown): MillraceError {
  const excerpt = line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line
  return new MillraceError('envelope_malformed', `A line of the stream ${fault}: ${excerpt}`, {
    details: { line: excerpt, length: line.length },
    cause,
  })
}
