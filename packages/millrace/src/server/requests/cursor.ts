import { MillraceError } from '../../errors/index.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import { cursorTrimmed, logReplaced, type SessionInfo } from '../../stores/port/index.ts'

/** The position at which a reader continues. */
export interface Cursor {
  /** The id of the last frame that it has completely. */
  readonly after: number
  /** The log, if the cursor names one. */
  readonly log?: string
  /** Number of protocol frames of the next log frame that it has. [DIA-2] */
  readonly frames?: number
  /** Void content left out of the frames that it has. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
}

/** Such as `41`, `41.2`, `41.2~30-38` or any of these with `@` and the id of the log; digits that stay safe integers. */
const cursorPattern =
  /^(\d{1,15})(?:\.(\d{1,9}))?(?:~(\d{1,15}-\d{1,15}(?:,\d{1,15}-\d{1,15})*))?(?:@([0-9a-z]{1,32}))?$/

/** Longer than any cursor of one run. */
const MAX_CURSOR_CHARS = 65_536

/** Decodes a cursor: the header takes precedence over the query; without both it is the start. */
export function decodeCursor(header: string | undefined, query: string | undefined): Cursor {
  const text = header === undefined || header === '' ? query : header
  if (text === undefined || text === '') return { after: 0 }
  const [, after, frames, hidden, log] =
    text.length > MAX_CURSOR_CHARS ? [] : (cursorPattern.exec(text) ?? [])
  if (after === undefined)
    throw new MillraceError(
      'cursor_malformed',
      `The cursor ${JSON.stringify(text.slice(0, 80))} is not a frame id; send the last id that you received, such as 41, 41@LOG or, in another format, 41.2@LOG, or 0.`,
    )
  return {
    after: Number(after),
    ...(frames !== undefined && { frames: Number(frames) }),
    ...(hidden !== undefined && { hidden: hidden.split(',').map(decodeHidden) }),
    ...(log !== undefined && { log }),
  }
}

/** Encodes a cursor as a frame id. */
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

/** Reads the cursor of a request. A log in the cursor takes precedence over `Millrace-Log` and `?log=`. */
export function readCursor({ url, headers }: Request, query?: string): Cursor {
  const cursor = decodeCursor(headers.get('last-event-id') ?? undefined, query)
  const log = cursor.log ?? namedLog({ url, headers })
  return log === undefined ? cursor : { ...cursor, log }
}

/** Returns the log that a request names, if any. [LOG-12] */
export function namedLog({ url, headers }: Pick<Request, 'url' | 'headers'>): string | undefined {
  const named = headers.get(LOG_HEADER) ?? new URL(url).searchParams.get('log')
  return named === null || named === '' ? undefined : named
}

/** Rejects a request that names another log than the session's current one. [LOG-12] */
export function checkNamedLog(
  request: Pick<Request, 'url' | 'headers'>,
  session: string,
  info: SessionInfo | undefined,
): void {
  const log = namedLog(request)
  if (log !== undefined && info?.log !== log) throw logReplaced(session, log, info)
}

/** The header that names a log in requests and responses. */
export const LOG_HEADER = 'millrace-log'

/** The header of a branch's stream with the last frame that it shares with its parent. [BRANCH-4] */
export const FORK_HEADER = 'millrace-forked-after'

/** Rejects a cursor of another log, or outside the stored range. [LOG-6] [LOG-12] */
export function checkCursor({ after, log }: Cursor, info: SessionInfo): void {
  const { session, tail } = info
  if (log !== undefined && log !== info.log) throw logReplaced(session, log, info)
  if (log === undefined && after > 0 && info.generation > 1) throw logUnnamed(after, info)
  if (log !== undefined && after > tail) throw logShortened(after, info)
  checkPosition(after, info)
}

/** Rejects an id outside the stored range. */
export function checkPosition(after: number, { tail, earliest }: SessionInfo): void {
  if (after > tail) {
    throw new MillraceError(
      'cursor_ahead',
      `The cursor ${after} is beyond the last frame, ${tail}; the log may have been replaced. Read again from cursor 0.`,
      { details: { tail } },
    )
  }
  if (after < earliest - 1) throw cursorTrimmed(after, earliest)
}

function logUnnamed(after: number, { session, log, earliest, tail }: SessionInfo): MillraceError {
  return new MillraceError(
    'log_replaced',
    `Session ${session} was removed and created again, so the cursor ${after} is ambiguous. Discard your frames and read from the start, or name the log: ${after}@LOG, ?log= or the header Millrace-Log.`,
    { details: { log, earliest, tail } },
  )
}

function logShortened(after: number, { session, log, tail }: SessionInfo): MillraceError {
  return new MillraceError(
    'log_truncated',
    `Log ${log} of session ${session} ends at ${tail}, before your cursor ${after}: the store was restored from an older copy. Discard your frames and read from the start.`,
    { details: { log, tail } },
  )
}
