import { isMillraceError } from '../errors/index.ts'
import type { RunError } from '../events/index.ts'

/** What may be shown of an error: words that were written to be shown, never those of a stranger or a stack. */
export function toWireError(error: unknown): RunError['error'] {
  if (isMillraceError(error)) {
    return { type: error.code, message: error.message, code: error.code, retriable: true }
  }
  const message =
    'The agent failed in a way it did not expect. Ask again; the server’s log has the cause.'
  return { type: 'internal', message, code: 'internal', retriable: true }
}
