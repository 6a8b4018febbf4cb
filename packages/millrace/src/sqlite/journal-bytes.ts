import { readLines, sizeOfLines, writeLines } from './line-bytes.ts'
import { storeDamaged } from './store-errors.ts'

/** What one commit added to one session; without lines, that it was written to. */
export interface JournalEntry {
  /** The number of the session. */
  readonly session: number
  /** The id of the first line, or the id that one would have had. */
  readonly first: number
  readonly lines: readonly Uint8Array[]
}

/** Session, first id and count stand before the lines of an entry, four bytes each. */
const headBytes = 12

/** The bytes of one row of the journal. */
export function encodeJournal(entries: readonly JournalEntry[]): Uint8Array {
  let size = 0
  for (const { lines } of entries) size += headBytes + sizeOfLines(lines)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let offset = 0
  for (const { session, first, lines } of entries) {
    view.setUint32(offset, session, true)
    view.setUint32(offset + 4, first, true)
    view.setUint32(offset + 8, lines.length, true)
    offset = writeLines(bytes, offset + headBytes, lines)
  }
  return bytes
}

/** Reads what {@link encodeJournal} wrote; lines share the memory of the row. */
export function* decodeJournal(bytes: Uint8Array): Generator<JournalEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let offset = 0; offset < bytes.length;) {
    if (offset + headBytes > bytes.length) throw storeDamaged('a row of the journal is cut off')
    const session = view.getUint32(offset, true)
    const first = view.getUint32(offset + 4, true)
    const count = view.getUint32(offset + 8, true)
    const { lines, end } = readLines(bytes, offset + headBytes, count)
    yield { session, first, lines }
    offset = end
  }
}
