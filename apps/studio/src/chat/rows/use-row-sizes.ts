import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { RowWindow } from './row-window.ts'
import { scrollAnchorOf } from './scroll-anchor.ts'

interface RowSizesOptions {
  readonly rowWindow: RowWindow
  readonly listRef: RefObject<HTMLElement | null>
  readonly scrollRef: RefObject<HTMLElement | null>
  /** Short lists are drawn completely and need no sizes. */
  readonly isLong: boolean
  /** Called when the size of a row or of the view changes. */
  readonly onResize: () => void
}

/** Measures drawn rows when they appear and change, and keeps the content in view in place. */
export function useRowSizes(options: RowSizesOptions): void {
  const { rowWindow, listRef, scrollRef, isLong, onResize } = options
  const watch = useRef<RowObserver>(undefined)

  useEffect(() => {
    const scroll = scrollRef.current
    if (!scroll || !isLong) return undefined
    const sizes = new ResizeObserver((entries) => {
      const rows = entries.flatMap(({ target }) => (target instanceof HTMLElement ? [target] : []))
      for (const row of rows) if (!row.isConnected) sizes.unobserve(row)
      takeSizes(rowWindow, rows, scroll)
      onResize()
    })
    sizes.observe(scroll)
    const current = createRowObserver(sizes)
    watch.current = current
    current.add(rowsIn(listRef.current))
    return () => {
      current.stop()
      sizes.disconnect()
      watch.current = undefined
    }
  }, [rowWindow, listRef, scrollRef, isLong, onResize])

  useLayoutEffect(() => {
    const scroll = scrollRef.current
    if (!isLong || !scroll) return
    const rows = rowsIn(listRef.current)
    watch.current?.add(rows)
    takeSizes(rowWindow, rows, scroll)
  })
}

function rowsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.children ?? [])].filter(
    (child): child is HTMLElement => child instanceof HTMLElement && 'row' in child.dataset,
  )
}

/** Stores the heights of rows and corrects the scroll position. Hidden rows have no height. */
function takeSizes(
  { find, measure }: RowWindow,
  rows: readonly HTMLElement[],
  scroll: HTMLElement,
): void {
  if (scroll.clientHeight === 0) return
  for (const row of rows) {
    const index = row.isConnected ? find(row.dataset['row'] ?? '') : -1
    if (index >= 0) measure(index, row.getBoundingClientRect().height)
  }
  scrollAnchorOf(scroll).restore()
}

/** Observes the sizes of rows. */
interface RowObserver {
  /** Adds rows, also rows that are observed already. */
  add(rows: readonly HTMLElement[]): void
  stop(): void
}

/**
 * Creates an observer that starts with the next frame: browsers report an error if rows are added while sizes are
 * delivered.
 */
function createRowObserver(sizes: ResizeObserver): RowObserver {
  const seen = new WeakSet<HTMLElement>()
  let fresh: HTMLElement[] = []
  let frame = 0
  const flush = (): void => {
    for (const row of fresh) if (row.isConnected) sizes.observe(row)
    fresh = []
    frame = 0
  }
  return {
    add(rows) {
      // A row that is observed again would be reported again.
      const added = rows.filter((row) => !seen.has(row))
      for (const row of added) seen.add(row)
      fresh.push(...added)
      if (fresh.length > 0) frame ||= requestAnimationFrame(flush)
    },
    stop: () => cancelAnimationFrame(frame),
  }
}
