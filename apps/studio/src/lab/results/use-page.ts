import { useState } from 'react'

/** How many items of a list are drawn at first, and added on request. */
const PAGE = 40

/** How much of a long list to draw. */
export interface Page {
  readonly count: number
  /** How many are left out. */
  readonly hidden: number
  readonly showMore: () => void
}

/** Draws a part of a list that may be very long, and more of it when asked. */
export function usePage(total: number): Page {
  const [limit, setLimit] = useState(PAGE)
  const count = Math.min(total, limit)
  return { count, hidden: total - count, showMore: () => setLimit(limit + PAGE * 5) }
}
