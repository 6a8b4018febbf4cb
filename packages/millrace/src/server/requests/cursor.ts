import { MillraceError } from '../../errors/index.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import { cursorTrimmed, logReplaced, type SessionInfo } from '../../stores/port/index.ts'

/** Where a reader goes on. */
export interface Cursor {
  /** The id of the last message that it has fully read. */
  readonly after: number
  /** The log that it has read, if it names one. */
  readonly log?: string
  /** How many frames of the next message it has read, in a dialect that makes several of one. [DIA-2] */
  readonly frames?: number
  /** The void content that was left out of what it has read, in a dialect. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
}

/** Such as `41`, `41.2`, `41.2~30-38` or any of these with `@` and the id of the log; digits that stay safe integers. */
const cursorPattern =
  /^(\d{1,15})(?:\.(\d{1,9}))?(?:~(\d{1,15}-\d{1,15}(?:,\d{1,15}-\d{1,15})*))?(?:@([0-9a-z]{1,32}))?$/

/** Longer than any cursor with the rollbacks of one run; a longer one is none of ours. */
const MAX_CURSOR_CHARS = 65_536

/** Reads where a reader wants to go on: the header wins over the query, and neither means from the start. */
export function decodeCursor(header: string | undefined, query: string | undefined): Cursor {
  const text = header === undefined || header === '' ? query : header
  if (text === undefined || text === '') return { after: 0 }
  const [, after, frames, hidden, log] =
    text.length > MAX_CURSOR_CHARS ? [] : (cursorPattern.exec(text) ?? [])
  if (after === undefined)
    throw new MillraceError(
      'cursor_malformed',
      `The cursor ${JSON.stringify(text.slice(0, 80))} is not the id of a message; send the last id that you read, such as 41, 41@LOG or, in another format, 41.2@LOG, or 0.`,
    )
  return {
    after: Number(after),
    ...(frames !== undefined && { frames: Number(frames) }),
    ...(hidden !== undefined && { hidden: hidden.split(',').map(decodeHidden) }),
    ...(log !== undefined && { log }),
  }
}

/** Writes the id of a frame, from which {@link decodeCursor} reads where to go on. */
export function encodeCursor({ after, frames, hidden = [], log }: Cursor): string | number {
  if (frames === undefined && hidden.length === 0 && log === undefined) return after
  const part = frames === undefined ? '' : `.${frames}`
  const list = hidden.map(({ from, rollback }) => `${from}-${rollback}`).join(',')
  return `${after}${part}${list === '' ? '' : `~${list}`}${log === undefined ? '' : `@${log}`}`
}

function decodeHidden(text: string): HiddenContent {
  const [from = 0, rollback = 0] = text.split('-').map(Number)
  return { from, rollback }
}

/** Reads where a request goes on and which log it means: the cursor's own word for it wins over `Millrace-Log` and `?log=`. */
export function readCursor({ url, headers }: Request, query?: string): Cursor {
  const cursor = decodeCursor(headers.get('last-event-id') ?? undefined, query)
  const log = cursor.log ?? namedLog({ url, headers })
  return log === undefined ? cursor : { ...cursor, log }
}

/** The log that a request says it means, if it does. [LOG-12] */
export function namedLog({ url, headers }: Pick<Request, 'url' | 'headers'>): string | undefined {
  const named = headers.get(LOG_HEADER) ?? new URL(url).searchParams.get('log')
  return named === null || named === '' ? undefined : named
}

/** Refuses a request that names another log than the session has: it means what is gone. [LOG-12] */
export function checkNamedLog(
  request: Pick<Request, 'url' | 'headers'>,
  session: string,
  info: SessionInfo | undefined,
): void {
  const log = namedLog(request)
  if (log !== undefined && info?.log !== log) throw logReplaced(session, log, info)
}

/** The header in which responses and requests name a log. */
export const LOG_HEADER = 'millrace-log'

/** The header in which streams of a branch name the last message that it shares with its parent. [BRANCH-4] */
export const FORK_HEADER = 'millrace-forked-after'

/** Refuses a cursor that is not one of this log, or that the log does not reach, or no longer. [LOG-6] [LOG-12] */
export function checkCursor({ after, log }: Cursor, info: SessionInfo): void {
  const { session, tail } = info
  if (log !== undefined && log !== info.log) throw logReplaced(session, log, info)
  if (log === undefined && after > 0 && info.generation > 1) throw logUnnamed(after, info)
  if (log !== undefined && after > tail) throw logShortened(after, info)
  checkPosition(after, info)
}

/** Refuses an id that the log does not reach, or no longer. */
export function checkPosition(after: number, { tail, earliest }: SessionInfo): void {
  if (after > tail) {
    throw new MillraceError(
      'cursor_ahead',
      `The cursor ${after} is beyond the last message, ${tail}; this may be another log than the one you read. Read again from cursor 0.`,
      { details: { tail } },
    )
  }
  if (after < earliest - 1) throw cursorTrimmed(after, earliest)
}

function logUnnamed(after: number, { session, log, earliest, tail }: SessionInfo): MillraceError {
  return new MillraceError(
    'log_replaced',
    `Session ${session} was removed and has begun again, so the cursor ${after} alone does not say which log it means. Discard what you have read and read from the start, or name the log: ${after}@LOG, ?log= or the header Millrace-Log.`,
    { details: { log, earliest, tail } },
  )
}

function logShortened(after: number, { session, log, tail }: SessionInfo): MillraceError {
  return new MillraceError(
    'log_truncated',
    `Log ${log} of session ${session} ends at ${tail}, before the message ${after} that you have read: the store was restored from an older copy. Discard what you have read and read from the start.`,
    { details: { log, tail } },
  )
}
