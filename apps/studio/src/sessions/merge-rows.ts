import type { SessionPage, SessionRow } from './session-row.ts'

/**
 * Puts the first part of the list, as it is now, before what was known of the rest. Rows that say the same stay the
 * same objects, and so does the list.
 */
export function mergeFirstPage(
  known: readonly SessionRow[],
  { rows, total }: SessionPage,
): readonly SessionRow[] {
  const before = new Map(known.map((row) => [row.id, row]))
  const first = rows.map((row) => reuseEqual(before.get(row.id), row))
  const there = new Set(rows.map(({ id }) => id))
  const rest = known.filter(({ id }) => !there.has(id))
  // More than there are: some are gone, and nobody tells which. The rest is read again.
  const merged = first.length + rest.length > total ? first : [...first, ...rest]
  const isSame =
    merged.length === known.length && merged.every((row, index) => row === known[index])
  return isSame ? known : merged
}

/** Adds a further part of the list; rows that moved meanwhile are not shown twice. */
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
