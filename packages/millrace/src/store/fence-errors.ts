import { MillraceError } from '../errors/index.ts'

/** Says that another writer has taken a session over. */
export function leaseLost(session: string, epoch: number, current: number): MillraceError {
  return new MillraceError(
    'lease_lost',
    `Session ${session} has a newer writer (epoch ${current}, not ${epoch}); stop this run.`,
    { details: { epoch: current } },
  )
}

/** Says that a session's log does not end where its writer believes. */
export function tailDiffers(session: string, tail: number, current: number): MillraceError {
  return new MillraceError(
    'conflict',
    `Session ${session} ends at ${current}, not at ${tail}; nothing was stored. Look again before writing.`,
    { details: { tail: current } },
  )
}

/** Says that a store knows no session of this name. */
export function sessionUnknown(session: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no session ${session}; it was never started, or it was dropped to make room.`,
  )
}

/** Says that a store was closed. */
export function storeClosed(): MillraceError {
  return new MillraceError('internal', 'The store is closed; nothing can be read or written.')
}
