import { useState } from 'react'

/** The number of items that are drawn first and added on request. */
const PAGE = 40

/** Items of a long list to draw. */
export interface Page {
  readonly count: number
  /** The number of items that are not drawn. */
  readonly hidden: number
  readonly showMore: () => void
}

/** Draws a part of a long list and more on request. */
export function usePage(total: number): Page {
  const [limit, setLimit] = useState(PAGE)
  const count = Math.min(total, limit)
  return { count, hidden: total - count, showMore: () => setLimit(limit + PAGE * 5) }
}
