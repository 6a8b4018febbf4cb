import type { KeyedPage } from './store.ts'

/** Creates a page from at most `limit` rows. A full page has the key of its last row. */
export function toKeyedPage<Row, Shown>(
  rows: readonly Row[],
  limit: number,
  { toRow, toKey }: { readonly toRow: (row: Row) => Shown; readonly toKey: (row: Row) => string },
): KeyedPage<Shown> {
  const last = rows.at(-1)
  const page = { rows: rows.map(toRow) }
  return last === undefined || rows.length < limit ? page : { ...page, next: toKey(last) }
}
