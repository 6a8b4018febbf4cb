import type { Extent } from './extents.ts'
import { lineEndAt, numberIn, putNumber, sizeOfLines, writeLines } from './line-bytes.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** Frames that a commit added to a session. Without lines, it records only a write. */
export interface JournalEntry {
  readonly session: number
  /** Id of the first line, or of the next one if there are no lines. */
  readonly first: number
  readonly lines: readonly Uint8Array[]
}

/** An entry with the location of its lines in a row. */
interface FoundEntry extends Extent {
  readonly session: number
  readonly first: number
}

/** Each entry starts with the session, first id and count, four bytes each. */
const headBytes = 12

/** Encodes a row of the journal. Reports the location of each entry's lines with the entry's index. */
export function encodeJournal(
  entries: readonly JournalEntry[],
  onPlaced = (_index: number, _extent: Extent): void => {},
): Uint8Array {
  let size = 0
  for (const { lines } of entries) size += headBytes + sizeOfLines(lines)
  const bytes = new Uint8Array(size)
  let end = 0
  entries.forEach(({ session, first, lines }, index) => {
    putNumber(bytes, end, session)
    putNumber(bytes, end + 4, first)
    putNumber(bytes, end + 8, lines.length)
    const start = end + headBytes
    end = writeLines(bytes, start, lines)
    onPlaced(index, { row: bytes, start, end, count: lines.length })
  })
  return bytes
}

/** Finds the entries that {@link encodeJournal} wrote. */
export function* findEntries(bytes: Uint8Array): Generator<FoundEntry> {
  for (let offset = 0; offset < bytes.length;) {
    const start = offset + headBytes
    if (start > bytes.length) throw storeDamaged('a row of the journal is truncated')
    const count = numberIn(bytes, offset + 8)
    const end = linesEnd(bytes, start, count)
    const session = numberIn(bytes, offset)
    yield { session, first: numberIn(bytes, offset + 4), row: bytes, start, end, count }
    offset = end
  }
}

function linesEnd(bytes: Uint8Array, start: number, count: number): number {
  let end = start
  for (let line = 0; line < count; line++) {
    end = lineEndAt(bytes, end)
    if (end > bytes.length) throw storeDamaged('a row of the journal ends too early')
  }
  return end
}
