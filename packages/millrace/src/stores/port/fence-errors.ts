import { MillraceError } from '../../errors/index.ts'

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

/** Says that a session has commands that its writer has not seen. */
export function inboxDiffers(session: string, inbox: number, current: number): MillraceError {
  return new MillraceError(
    'conflict',
    `The inbox of session ${session} is at version ${current}, not ${inbox}; nothing was stored. Read its commands before writing.`,
    { details: { inbox: current } },
  )
}

/** Says that a store knows no session of this name. */
export function sessionUnknown(session: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no session ${session}; it was never started, or it was dropped to make room.`,
  )
}

/** The log that a session has, as far as that is known. */
export interface PresentLog {
  readonly log: string
  readonly earliest?: number
  readonly tail?: number
}

/** Says that a session has another log than the one that was named, or none. */
export function logReplaced(session: string, log: string, present?: PresentLog): MillraceError {
  const now = present === undefined ? 'has no log any more' : `has another log now, ${present.log}`
  const { log: current = null, earliest, tail } = present ?? {}
  const range = earliest !== undefined && tail !== undefined && { earliest, tail }
  return new MillraceError(
    'log_replaced',
    `Session ${session} ${now}; log ${log.slice(0, 64)} is gone. Discard what you have read of it, and read from the start without naming a log.`,
    { details: { log: current, ...range } },
  )
}

/** Says that a store was closed. */
export function storeClosed(): MillraceError {
  return new MillraceError('internal', 'The store is closed; nothing can be read or written.')
}
