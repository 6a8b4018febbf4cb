import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'
import type { RowWindow } from './row-window.ts'
import { placeOf } from './view-of.ts'

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
  const observe = useRef<(rows: readonly HTMLElement[]) => void>(undefined)

  useEffect(() => {
    const scroll = scrollRef.current
    if (!scroll || !isLong) return undefined
    const sizes = new ResizeObserver((entries) => {
      const rows = entries.flatMap(({ target }) => (target instanceof HTMLElement ? [target] : []))
      for (const row of rows) if (!row.isConnected) sizes.unobserve(row)
      measureRows(rowWindow, rows, listRef.current, scroll)
      onResize()
    })
    sizes.observe(scroll)
    const watch = createRowWatch(sizes)
    observe.current = watch.add
    watch.add(rowsIn(listRef.current))
    return () => {
      watch.stop()
      sizes.disconnect()
      observe.current = undefined
    }
  }, [rowWindow, listRef, scrollRef, isLong, onResize])

  useLayoutEffect(() => {
    const scroll = scrollRef.current
    if (!isLong || !scroll) return
    const rows = rowsIn(listRef.current)
    observe.current?.(rows)
    measureRows(rowWindow, rows, listRef.current, scroll)
  })
}

/** Observes each row once, from the next frame on: to observe more while sizes are told is an error to browsers. */
function createRowWatch(sizes: ResizeObserver) {
  const seen = new WeakSet<HTMLElement>()
  let fresh: HTMLElement[] = []
  let frame = 0
  const flush = (): void => {
    for (const row of fresh) sizes.observe(row)
    fresh = []
    frame = 0
  }
  return {
    add(rows: readonly HTMLElement[]): void {
      const added = rows.filter((row) => !seen.has(row))
      for (const row of added) seen.add(row)
      fresh.push(...added)
      if (fresh.length > 0) frame ||= requestAnimationFrame(flush)
    },
    stop: () => cancelAnimationFrame(frame),
  }
}

function rowsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.children ?? [])].filter(
    (child): child is HTMLElement => child instanceof HTMLElement && 'row' in child.dataset,
  )
}

/** Notes the heights of rows; where nothing is shown, nothing has one. */
function measureRows(
  { find, measure }: RowWindow,
  rows: readonly HTMLElement[],
  list: HTMLElement | null,
  scroll: HTMLElement,
): void {
  if (!list || scroll.clientHeight === 0) return
  const heights = rows.flatMap((row) => {
    const index = row.isConnected ? find(row.dataset['row'] ?? '') : -1
    return index < 0 ? [] : [[index, row.getBoundingClientRect().height] as const]
  })
  const moved = measure(heights, -placeOf(list, scroll))
  if (!holdsView && moved !== 0) scroll.scrollTop += moved
}
