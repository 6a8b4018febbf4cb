import { MillraceError } from '../errors/index.ts'
import type { Envelope } from './envelope.ts'

/** Reads one line of the wire; types and fields that it does not know pass unchanged. [ENV-9] [ENV-10] */
export function decodeEnvelope(line: string): Envelope {
  let cause: unknown
  try {
    const value = JSON.parse(line) as Partial<Envelope> | null
    const isNamed = typeof value?.type === 'string' && typeof value.agent === 'string'
    if (isNamed && typeof value.delta === 'string' && typeof value.final === 'boolean') {
      return value as Envelope
    }
  } catch (error) {
    cause = error
  }
  // Long enough to recognise a line, short enough for a log.
  throw new MillraceError('envelope_malformed', `Not an envelope: ${line.slice(0, 120)}`, {
    cause,
  })
}
