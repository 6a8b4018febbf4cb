import { MillraceError } from '../../errors/index.ts'
import { cursorTrimmed, type SessionInfo } from '../../store/index.ts'

/** Where a reader goes on. */
export interface Cursor {
  /** The id of the last message that it has fully read. */
  readonly after: number
  /** How many frames of the next message it has read, in a dialect that makes several of one. [DIA-2] */
  readonly frames: number
}

/** Digits that stay a safe integer. */
const cursorPattern = /^(\d{1,15})(?:\.(\d{1,9}))?$/

/** Reads where a reader wants to go on: the header wins over the query, and neither means from the start. */
export function decodeCursor(header: string | undefined, query: string | undefined): Cursor {
  const text = header === undefined || header === '' ? query : header
  if (text === undefined || text === '') return { after: 0, frames: 0 }
  const [, after, frames = 0] = cursorPattern.exec(text) ?? []
  if (after !== undefined) return { after: Number(after), frames: Number(frames) }
  throw new MillraceError(
    'cursor_malformed',
    `The cursor ${JSON.stringify(text.slice(0, 80))} is not the id of a message; send the last id that you read, such as 41, or 41.2 in another format, or 0.`,
  )
}

/** Refuses a cursor that the log does not reach, or no longer. */
export function checkCursor(cursor: number, { tail, earliest }: SessionInfo): void {
  if (cursor > tail) {
    throw new MillraceError(
      'cursor_ahead',
      `The cursor ${cursor} is beyond the last message, ${tail}; this may be another log than the one you read. Read again from cursor 0.`,
      { details: { tail } },
    )
  }
  if (cursor < earliest - 1) throw cursorTrimmed(cursor, earliest)
}
