import { type ErrorCode, isMillraceError } from '../../errors/index.ts'
import type { RunError } from '../../events/index.ts'

/** What passes by itself: the same question may be answered a little later. */
const passingCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'connection_lost',
  'internal',
  'lease_lost',
  'model_interrupted',
  'overloaded',
  'store_unavailable',
  'stream_truncated',
])

/** What may be shown of an error: words that were written to be shown, never those of a stranger or a stack. */
export function toWireError(error: unknown): RunError['error'] {
  if (isMillraceError(error)) {
    const { code, message } = error
    return { type: code, message, code, retriable: passingCodes.has(code) }
  }
  const message =
    'The agent failed in a way it did not expect. Ask again; the server’s log has the cause.'
  return { type: 'internal', message, code: 'internal', retriable: true }
}
