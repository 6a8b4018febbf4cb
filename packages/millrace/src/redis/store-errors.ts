import { MillraceError } from '../errors/index.ts'

/** Says that Redis could not be asked, or that nobody knows whether it did what was asked. */
export function storeUnavailable(cause: unknown): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'The store of the sessions, Redis, does not answer or refuses to. What was being written may be stored or not; the same again is stored once. Try again in a moment.',
    { cause },
  )
}

/** Says that a connection is gone, for those who watch over the store. */
export function connectionLost(cause: unknown): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'A connection to the store of the sessions, Redis, is lost or cannot be made. It is tried again until it is back; check that Redis runs and can be reached.',
    { cause },
  )
}

/** Says that Redis has come back with less than it had. */
export function logTruncated(session: string, tail: number): MillraceError {
  return new MillraceError(
    'log_truncated',
    `The store has lost what was written to session ${session} after message ${tail}. What is left can be read up to there; nothing is added to it, so that no id is given twice. Go on in a new session.`,
    { details: { tail } },
  )
}

/** Says that Redis has other data than this process began with. */
export function storeReplaced(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'Redis was emptied, or another one answers at its address; nothing is written, because it would be mixed with other data. Bring the data back, and it is used again. To use what is there now, restart the server.',
  )
}

/** Says that Redis cannot write to its disk. */
export function persistenceFails(): MillraceError {
  return new MillraceError(
    'store_unavailable',
    'Redis cannot save to its disk (see INFO persistence); what is written may be lost when it restarts. Check its disk and its log.',
  )
}

/** Says that a file is larger than the store takes. */
export function fileTooLarge(bytes: number, maxFileBytes: number): MillraceError {
  return new MillraceError(
    'payload_too_large',
    `The file has ${bytes} bytes, and the store takes ${maxFileBytes} at most. Send a smaller one, or raise maxFileBytes.`,
    { details: { maxFileBytes } },
  )
}
