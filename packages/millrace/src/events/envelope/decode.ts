import { MillraceError } from '../../errors/index.ts'
import type { Envelope } from './envelope.ts'

/** Decodes one line of the wire; unknown types and fields pass unchanged. [ENV-9] [ENV-10] */
export function decodeEnvelope(line: string): Envelope {
  let value: Partial<Envelope> | null | undefined
  try {
    value = JSON.parse(line) as Partial<Envelope> | null
  } catch {
    // The error below quotes the line, which is more useful than the parser's message.
  }
  const isNamed = typeof value?.type === 'string' && typeof value.agent === 'string'
  if (isNamed && typeof value?.delta === 'string' && typeof value.final === 'boolean') {
    return value as Envelope
  }
  // Older servers report their own failure as a bare object with a message. Other text is truncated for the log.
  const message = value?.['message'] ?? `Not an envelope: ${line.slice(0, 120)}`
  throw new MillraceError('envelope_malformed', String(message))
}
