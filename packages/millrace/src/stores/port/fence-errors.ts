import { MillraceError } from '../../errors/index.ts'

/** Creates the error for an append by an earlier writer. */
export function leaseLost(session: string, epoch: number, current: number): MillraceError {
  return new MillraceError(
    'lease_lost',
    `Session ${session} has a newer writer (epoch ${current}, not ${epoch}). Stop this run.`,
    { details: { epoch: current } },
  )
}

/** Creates the error for a log that does not end at the writer's tail. */
export function tailDiffers(session: string, tail: number, current: number): MillraceError {
  return new MillraceError(
    'conflict',
    `Session ${session} ends at frame ${current}, not at ${tail}. Nothing was stored. Read the session again before writing.`,
    { details: { tail: current } },
  )
}

/** Creates the error for an inbox with commands that the writer has not read. */
export function inboxDiffers(session: string, inbox: number, current: number): MillraceError {
  return new MillraceError(
    'conflict',
    `The inbox of session ${session} is at version ${current}, not ${inbox}. Nothing was stored. Read its commands before writing.`,
    { details: { inbox: current } },
  )
}

/** Creates the error for an unknown session. */
export function sessionUnknown(session: string): MillraceError {
  return new MillraceError(
    'not_found',
    `There is no session ${session}: it was never started, or it was removed.`,
  )
}

/** The current log of a session, as far as it is known. */
interface PresentLog {
  readonly log: string
  readonly earliest?: number
  readonly tail?: number
}

/** Creates the error for a session whose log is not the named one. */
export function logReplaced(session: string, log: string, present?: PresentLog): MillraceError {
  const now = present === undefined ? 'has no log' : `now has log ${present.log}`
  const { log: current = null, earliest, tail } = present ?? {}
  const range = earliest !== undefined && tail !== undefined && { earliest, tail }
  return new MillraceError(
    'log_replaced',
    `Session ${session} ${now}; log ${log.slice(0, 64)} was removed. Discard its frames, and read from the start without naming a log.`,
    { details: { log: current, ...range } },
  )
}

/** Creates the error of a closed store. */
export function storeClosed(): MillraceError {
  return new MillraceError('internal', 'The store is closed. Create a new one to read or write.')
}

/** Creates the error for a cursor whose next frame is no longer stored. Its details hold the earliest stored id. */
export function cursorTrimmed(cursor: number, earliest: number): MillraceError {
  return new MillraceError(
    'cursor_trimmed',
    `Frame ${cursor + 1} is no longer stored; the earliest is ${earliest}. Read from cursor ${earliest - 1}; the frames before it are missing.`,
    { details: { earliest } },
  )
}
