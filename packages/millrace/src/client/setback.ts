import { MillraceError } from '../errors/index.ts'
import type { Want } from './outgoing.ts'
import { toRetryDelay } from './retry-delay.ts'
import type { SessionOptions, SessionSnapshot } from './session.ts'

/** How often to look for a prompt whose request was lost before calling it unsent: it may still be on its way. */
const PROMPT_LOOKS = 3

/** Why an exchange failed. */
export interface Setback {
  readonly error: MillraceError
  /** How long to wait before trying again; undefined if that would not help. */
  readonly delayMs: number | undefined
}

/** Tells a lost connection from a failure that would come again. */
export function toSetback(
  thrown: unknown,
  want: Want,
  options: SessionOptions,
  { connection: { attempt }, prompt }: SessionSnapshot,
): Setback {
  const cause = thrown
  let error =
    thrown instanceof MillraceError
      ? thrown
      : new MillraceError('internal', String(thrown), { cause })
  let isLoss = error.code === 'connection_lost'
  // The request with the prompt was lost, and this one was to find out what became of it.
  if (want === 'stream' && prompt?.state === 'sending' && error.code === 'not_found') {
    const message = 'Your message did not reach the server; send it again.'
    error = new MillraceError('prompt_unsent', message, { cause })
    isLoss = attempt < PROMPT_LOOKS
  }
  const { retryAfterMs = 0 } = error.details
  const delayMs = Math.max(Number(retryAfterMs), toRetryDelay(attempt, options))
  return { error, delayMs: isLoss ? delayMs : undefined }
}
