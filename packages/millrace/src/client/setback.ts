import { MillraceError } from '../errors/index.ts'
import type { Want } from './outgoing.ts'
import type { SessionSnapshot } from './session.ts'

/** Why an exchange failed; `connection_lost` is worth another try, anything else would come again. */
export function toSetback(
  cause: unknown,
  want: Want,
  { connection, prompt }: SessionSnapshot,
): MillraceError {
  const error =
    cause instanceof MillraceError ? cause : new MillraceError('internal', String(cause), { cause })
  // The request with the prompt was lost, and this one was to find out what became of it.
  const isLook = want === 'stream' && prompt?.state === 'sending' && error.code === 'not_found'
  if (!isLook) return error
  // It may still be on its way, so look three times before calling it unsent.
  const code = connection.attempt < 3 ? 'connection_lost' : 'prompt_unsent'
  return new MillraceError(code, 'The prompt did not arrive; send it again.', { cause })
}
