import type { SessionPage, SessionRow } from './session-row.ts'

/** Merges the current first page with the known rest. Equal rows and an equal list stay the same objects. */
export function mergeFirstPage(
  known: readonly SessionRow[],
  { rows, total }: SessionPage,
): readonly SessionRow[] {
  const before = new Map(known.map((row) => [row.id, row]))
  const first = rows.map((row) => reuseEqual(before.get(row.id), row))
  const there = new Set(rows.map(({ id }) => id))
  const rest = known.filter(({ id }) => !there.has(id))
  // Some sessions are gone, and it is unknown which; the rest is read again.
  const merged = first.length + rest.length > total ? first : [...first, ...rest]
  const isSame =
    merged.length === known.length && merged.every((row, index) => row === known[index])
  return isSame ? known : merged
}

/** Appends a page; rows that moved meanwhile are not repeated. */
export function appendRows(
  known: readonly SessionRow[],
  rows: readonly SessionRow[],
): readonly SessionRow[] {
  const there = new Set(known.map(({ id }) => id))
  return [...known, ...rows.filter(({ id }) => !there.has(id))]
}

function reuseEqual(before: SessionRow | undefined, row: SessionRow): SessionRow {
  if (before === undefined) return row
  const fields = Object.keys(row) as (keyof SessionRow)[]
  return fields.every((field) => before[field] === row[field]) ? before : row
}
