import { startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { RowRange, RowWindow } from './row-window.ts'
import { scrollAnchorOf } from './scroll-anchor.ts'
import { useRowSizes } from './use-row-sizes.ts'
import { visibleSpanOf } from './visible-span.ts'

/**
 * Drawing changes known heights and thereby the rows in view. React stops after 50 nested updates, and lists are nested
 * in rows.
 */
const MOST_PASSES = 8
/** The margin of the second pass in pixels; each further pass doubles it. */
const AROUND_PX = 50

interface DrawnRangeOptions {
  readonly rowWindow: RowWindow
  readonly listRef: RefObject<HTMLElement | null>
  readonly scrollRef: RefObject<HTMLElement | null>
  /** Short lists are drawn completely. */
  readonly isLong: boolean
  /** The range before anything is measured. */
  readonly first: RowRange
}

/** The range of a list that is drawn. */
export interface DrawnRange {
  readonly range: RowRange
  /** Updates the range to the rows near the view. */
  readonly updateRange: () => void
}

/** Finds the range to draw. It fills the view in each frame and extends beyond it soon after. */
export function useDrawnRange(options: DrawnRangeOptions): DrawnRange {
  const { rowWindow, listRef, scrollRef, isLong, first } = options
  const [found, setFound] = useState<RowRange>()
  const range = found ?? first
  const shown = useRef(range)
  const passes = useRef(0)

  const updateRange = useCallback(() => {
    const view = visibleSpanOf(listRef.current, scrollRef.current)
    if (!view) return
    const next = rowWindow.rangeOf(view)
    setFound((last) => (last?.from === next.from && last.to === next.to ? last : next))
  }, [rowWindow, listRef, scrollRef])

  /** Returns the range to draw before the next frame: the drawn range if it fills the view. */
  const cover = useCallback(
    (drawn: RowRange, aroundPx = 0) => {
      const view = visibleSpanOf(listRef.current, scrollRef.current)
      return view ? rowWindow.cover(drawn, view, aroundPx) : drawn
    },
    [rowWindow, listRef, scrollRef],
  )

  /** Fills the view synchronously; otherwise React would draw after the frame and the view would be blank. */
  const fill = useCallback(() => {
    passes.current = 0
    const next = cover(shown.current)
    if (next === shown.current) updateRange()
    else flushSync(() => setFound(next))
  }, [cover, updateRange])

  /** Draws missing rows, at most {@link MOST_PASSES} times in succession. */
  const settle = useCallback(
    (drawn: RowRange) => {
      shown.current = drawn
      const pass = passes.current++
      const next = cover(drawn, pass === 0 ? 0 : AROUND_PX * 2 ** (pass - 1))
      if (next === drawn) passes.current = 0
      else if (pass < MOST_PASSES) setFound(next)
    },
    [cover],
  )

  useRowSizes({ rowWindow, listRef, scrollRef, isLong, onResize: fill })
  useEffect(() => {
    const scroll = scrollRef.current
    if (!scroll || !isLong) return undefined
    const onScroll = () => {
      scrollAnchorOf(scroll).record()
      fill()
    }
    scroll.addEventListener('scroll', onScroll, { passive: true })
    return () => scroll.removeEventListener('scroll', onScroll)
  }, [scrollRef, isLong, fill])
  useLayoutEffect(() => {
    if (isLong) settle(range)
  })
  // Rows outside of the view have a lower priority.
  useEffect(() => {
    if (isLong) startTransition(updateRange)
  })
  return { range, updateRange }
}
