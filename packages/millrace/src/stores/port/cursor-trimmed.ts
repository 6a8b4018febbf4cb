import { MillraceError } from '../../errors/index.ts'

/** Says that what follows a cursor is no longer kept, and what is. */
export function cursorTrimmed(cursor: number, earliest: number): MillraceError {
  return new MillraceError(
    'cursor_trimmed',
    `Message ${cursor + 1} is no longer kept; the earliest is ${earliest}. Read again from cursor ${earliest - 1}, and expect the beginning to be missing.`,
    { details: { earliest } },
  )
}
