import { MillraceError } from '../../errors/index.ts'
import { cursorTrimmed, type SessionInfo } from '../../store/index.ts'

/** Digits that stay a safe integer. */
const cursorPattern = /^\d{1,15}$/

/** Reads where a reader wants to go on: the header wins over the query, and neither means from the start. */
export function decodeCursor(header: string | undefined, query: string | undefined): number {
  const text = header === undefined || header === '' ? query : header
  if (text === undefined || text === '') return 0
  if (cursorPattern.test(text)) return Number(text)
  throw new MillraceError(
    'cursor_malformed',
    `The cursor ${JSON.stringify(text.slice(0, 80))} is not the id of a message; send the last id that you read, as a whole number, or 0.`,
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
