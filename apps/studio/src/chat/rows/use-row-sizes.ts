import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'
import type { RowWindow } from './row-window.ts'

/** Most browsers hold what is in view while something above it changes; for the others it is made up for here. */
const holdsView = typeof CSS !== 'undefined' && CSS.supports('overflow-anchor', 'auto')

interface RowSizesOptions {
  readonly rowWindow: RowWindow
  readonly listRef: RefObject<HTMLElement | null>
  readonly scrollRef: RefObject<HTMLElement | null>
  /** Short lists are drawn whole, and need no sizes. */
  readonly isLong: boolean
  /** Called when rows have other sizes, or the view has. */
  readonly onResize: () => void
}

/** Measures the rows that are drawn, as they come and whenever they change. */
export function useRowSizes(options: RowSizesOptions): void {
  const { rowWindow, listRef, scrollRef, isLong, onResize } = options
  const observe = useRef<(row: HTMLElement) => void>(undefined)

  useEffect(() => {
    const scroll = scrollRef.current
    if (!scroll || !isLong) return undefined
    const sizes = new ResizeObserver((entries) => {
      const rows = entries.flatMap(({ target }) => (target instanceof HTMLElement ? [target] : []))
      for (const row of rows) if (!row.isConnected) sizes.unobserve(row)
      measureRows(rowWindow, rows, scroll)
      onResize()
    })
    const seen = new WeakSet<HTMLElement>()
    observe.current = (row) => {
      // What is observed again would be told again.
      if (!seen.has(row)) sizes.observe(row)
      seen.add(row)
    }
    sizes.observe(scroll)
    for (const row of rowsIn(listRef.current)) observe.current(row)
    return () => {
      sizes.disconnect()
      observe.current = undefined
    }
  }, [rowWindow, listRef, scrollRef, isLong, onResize])

  useLayoutEffect(() => {
    const scroll = scrollRef.current
    if (!isLong || !scroll) return
    const rows = rowsIn(listRef.current)
    for (const row of rows) observe.current?.(row)
    measureRows(rowWindow, rows, scroll)
  })
}

function rowsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.children ?? [])].filter(
    (child): child is HTMLElement => child instanceof HTMLElement && 'row' in child.dataset,
  )
}

/** Notes the heights of rows. */
function measureRows(
  { find, measure }: RowWindow,
  rows: readonly HTMLElement[],
  scroll: HTMLElement,
): void {
  let above = 0
  const viewTop = holdsView ? 0 : scroll.getBoundingClientRect().top
  for (const row of rows) {
    const index = row.isConnected ? find(row.dataset['row'] ?? '') : -1
    if (index < 0) continue
    const { height, bottom } = row.getBoundingClientRect()
    const change = measure(index, height)
    if (!holdsView && bottom < viewTop) above += change
  }
  if (above !== 0) scroll.scrollTop += above
}
