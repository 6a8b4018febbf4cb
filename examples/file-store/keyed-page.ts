import type { KeyedPage } from 'millrace/store'

/** The rows with the lowest keys above `after`. */
export function toPage<Row>(
  rows: readonly { readonly key: string; readonly row: Row }[],
  limit: number,
  after = '',
): KeyedPage<Row> {
  const sorted = rows.filter(({ key }) => key > after).sort((a, b) => (a.key < b.key ? -1 : 1))
  const [next] = sorted.length > limit ? sorted.slice(limit - 1) : []
  const page = { rows: sorted.slice(0, limit).map(({ row }) => row) }
  return next === undefined ? page : { ...page, next: next.key }
}
