import { MillraceError } from '../../errors/index.ts'

/** Creates the error for a cursor whose next frame is no longer stored. Its details hold the earliest stored id. */
export function cursorTrimmed(cursor: number, earliest: number): MillraceError {
  return new MillraceError(
    'cursor_trimmed',
    `Frame ${cursor + 1} is no longer stored; the earliest is ${earliest}. Read from cursor ${earliest - 1}; the frames before it are missing.`,
    { details: { earliest } },
  )
}
