import { type ErrorCode, isMillraceError } from '../../errors/index.ts'
import type { RunFailure } from '../../events/index.ts'

/** Codes of temporary errors: the same prompt may succeed later. */
const passingCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connection_lost',
  'internal',
  'lease_lost',
  'model_interrupted',
  'overloaded',
  'store_unavailable',
  'stream_truncated',
])

/** Returns the public part of an error: texts written for readers, never those of unknown errors or stacks. */
export function toWireError(error: unknown): RunFailure {
  if (isMillraceError(error)) {
    const { code, message } = error
    return { type: code, message, code, retriable: passingCodes.has(code) }
  }
  const message =
    'The agent failed unexpectedly. Send the prompt again; see the server’s log for the cause.'
  return { type: 'internal', message, code: 'internal', retriable: true }
}
