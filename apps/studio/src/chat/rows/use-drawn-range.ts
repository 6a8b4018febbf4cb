import { startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { RowRange, RowWindow } from './row-window.ts'
import { scrollAnchorOf } from './scroll-anchor.ts'
import { useRowSizes } from './use-row-sizes.ts'
import { visibleSpanOf } from './visible-span.ts'

/**
 * Drawing tells how high rows are, and so that others are in view. React gives up a page that draws 50 times in a row,
 * and lists lie in rows of others.
 */
const MOST_PASSES = 8
/** How much around the view the second pass asks for; each further one asks for twice as much. */
const AROUND_PX = 50

interface DrawnRangeOptions {
  readonly rowWindow: RowWindow
  readonly listRef: RefObject<HTMLElement | null>
  readonly scrollRef: RefObject<HTMLElement | null>
  /** Short lists are drawn whole. */
  readonly isLong: boolean
  /** What is drawn before anything is known. */
  readonly first: RowRange
}

/** The part of a list that is drawn. */
export interface DrawnRange {
  readonly range: RowRange
  /** Looks again what is near the view. */
  readonly look: () => void
}

/** Finds the part of a list to draw, which fills the view in each frame and reaches beyond it soon after. */
export function useDrawnRange(options: DrawnRangeOptions): DrawnRange {
  const { rowWindow, listRef, scrollRef, isLong, first } = options
  const [found, setFound] = useState<RowRange>()
  const range = found ?? first
  const shown = useRef(range)
  const passes = useRef(0)

  const look = useCallback(() => {
    const view = visibleSpanOf(listRef.current, scrollRef.current)
    if (!view) return
    const next = rowWindow.rangeOf(view)
    setFound((last) => (last?.from === next.from && last.to === next.to ? last : next))
  }, [rowWindow, listRef, scrollRef])

  /** What to draw before the next frame: what is drawn, if it fills the view. */
  const cover = useCallback(
    (drawn: RowRange, aroundPx = 0) => {
      const view = visibleSpanOf(listRef.current, scrollRef.current)
      return view ? rowWindow.cover(drawn, view, aroundPx) : drawn
    },
    [rowWindow, listRef, scrollRef],
  )

  /** Left to itself React draws after the frame, in which a view that has left what is drawn would be blank. */
  const fill = useCallback(() => {
    passes.current = 0
    const next = cover(shown.current)
    if (next === shown.current) look()
    else flushSync(() => setFound(next))
  }, [cover, look])

  /** Draws what the view still lacks, at most {@link MOST_PASSES} times in a row. */
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
      scrollAnchorOf(scroll).note()
      fill()
    }
    scroll.addEventListener('scroll', onScroll, { passive: true })
    return () => scroll.removeEventListener('scroll', onScroll)
  }, [scrollRef, isLong, fill])
  useLayoutEffect(() => {
    if (isLong) settle(range)
  })
  // What lies beyond the view can wait for what is in it.
  useEffect(() => {
    if (isLong) startTransition(look)
  })
  return { range, look }
}
