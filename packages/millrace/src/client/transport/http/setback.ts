import { MillraceError } from '../../../errors/index.ts'

/** Why an exchange failed; while it is open what became of a prompt, an unknown session means that it did not arrive. */
export function toSetback(cause: unknown, isLook: boolean): MillraceError {
  if (!(cause instanceof MillraceError)) {
    return new MillraceError('internal', String(cause), { cause })
  }
  return isLook && cause.code === 'not_found' ? toUnsent() : cause
}

/** The prompt is not in the log. */
export function toUnsent(): MillraceError {
  return new MillraceError('prompt_unsent', 'The prompt did not arrive; send it again.')
}
