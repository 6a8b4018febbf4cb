import type { LogEntry } from '../../port/index.ts'

/** Lines in a row, counted from 1 in their append. */
export interface LineRow {
  readonly first: number
  readonly last: number
  /** Size of the row, including the lengths of its lines. */
  readonly bytes: number
}

/** Maximum number of lines in a row. A page can then be found by the last ids of its rows. */
export const MAX_ROW_LINES = 256
const MAX_ROW_BYTES = 65_536

/** Divides the lines of an append into rows. */
export function toRows(lines: readonly Uint8Array[]): LineRow[] {
  const rows: LineRow[] = []
  let first = 1
  let bytes = 0
  lines.forEach(({ length }, index) => {
    const size = length + varintBytes(length)
    const isFull = bytes + size > MAX_ROW_BYTES || index + 1 - first >= MAX_ROW_LINES
    if (isFull && index + 1 > first) {
      rows.push({ first, last: index, bytes })
      first = index + 1
      bytes = 0
    }
    bytes += size
  })
  if (lines.length >= first) rows.push({ first, last: lines.length, bytes })
  return rows
}

/** Writes the lines of a row, each after its length, and returns the end offset. */
export function writeLines(
  target: Buffer,
  start: number,
  lines: readonly Uint8Array[],
  { first, last }: LineRow,
): number {
  let at = start
  for (let index = first - 1; index < last; index++) {
    const line = lines[index] ?? new Uint8Array(0)
    at = writeVarint(target, at, line.length)
    target.set(line, at)
    at += line.length
  }
  return at
}

/** Reads the lines of a row with ids in a range, without copying them. */
export function readLines(row: Buffer, first: number, after: number, end: number): LogEntry[] {
  const found: LogEntry[] = []
  let at = 0
  for (let id = first; at < row.length && id <= end; id++) {
    let length = 0
    let shift = 1
    let byte = 0
    do {
      byte = row[at++] ?? 0
      length += (byte & 127) * shift
      shift *= 128
    } while (byte > 127)
    if (id > after) found.push({ id, line: row.subarray(at, at + length) })
    at += length
  }
  return found
}

function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) bytes += 1
  return bytes
}

function writeVarint(target: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) + 128
  target[at++] = rest
  return at
}
