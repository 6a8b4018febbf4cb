import { MillraceError } from '../../../errors/index.ts'

/** Converts the error of an exchange. If the exchange looks for a sent prompt, an unknown session means that the prompt did not arrive. */
export function toExchangeError(cause: unknown, isLook: boolean): MillraceError {
  if (!(cause instanceof MillraceError)) {
    return new MillraceError('internal', String(cause), { cause })
  }
  return isLook && cause.code === 'not_found' ? promptUnsent() : cause
}

/** Creates the error of a prompt that is not in the log. */
export function promptUnsent(): MillraceError {
  return new MillraceError('prompt_unsent', 'The prompt did not arrive. Send it again.')
}
