import { MillraceError } from '../errors/index.ts'
import type { Envelope } from './envelope.ts'

/** Long enough to recognise a line, short enough for a log. */
const EXCERPT_LENGTH = 120

/** Reads one line of the wire; types and fields that it does not know pass unchanged. [ENV-9] [ENV-10] */
export function decodeEnvelope(line: string): Envelope {
  let cause: unknown
  try {
    const value: unknown = JSON.parse(line)
    if (isEnvelope(value)) return value
  } catch (error) {
    cause = error
  }
  const excerpt = line.slice(0, EXCERPT_LENGTH)
  throw new MillraceError(
    'envelope_malformed',
    `Not an envelope (strings type, agent, delta, boolean final): ${excerpt}`,
    { details: { line: excerpt, length: line.length }, cause },
  )
}

function isEnvelope(value: unknown): value is Envelope {
  const { type, agent, final, delta, id = '' } = (value ?? {}) as Record<string, unknown>
  return (
    typeof type === 'string' &&
    typeof agent === 'string' &&
    typeof final === 'boolean' &&
    typeof delta === 'string' &&
    typeof id === 'string'
  )
}
