import { startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { RowRange, RowWindow } from './row-window.ts'
import { useRowSizes } from './use-row-sizes.ts'
import { viewOf } from './view-of.ts'

/** Drawing shows how high rows are, and so which are in view; React gives up a page that draws 50 times in a row. */
const MOST_PASSES = 20

interface DrawnRangeOptions {
  readonly rowWindow: RowWindow
  readonly listRef: RefObject<HTMLElement | null>
  readonly scrollRef: RefObject<HTMLElement | null>
  /** Short lists are drawn whole. */
  readonly isLong: boolean
}

/** The part of a list that is drawn, which fills the view in each frame and reaches beyond it soon after. */
export function useDrawnRange({ rowWindow, listRef, scrollRef, isLong }: DrawnRangeOptions) {
  const [range, setRange] = useState<RowRange>()
  const shown = useRef(range)
  const passes = useRef(0)

  /** Draws what is near the view, when there is time. */
  const look = useCallback(() => {
    const view = viewOf(listRef.current, scrollRef.current)
    const next = view && rowWindow.rangeOf(view.top, view.bottom)
    setRange((last) => (last?.from === next?.from && last?.to === next?.to ? last : next))
  }, [rowWindow, listRef, scrollRef])

  /** What to draw before the next frame: what is drawn, if it fills the view. */
  const cover = useCallback(
    (drawn: RowRange | undefined) => {
      const view = viewOf(listRef.current, scrollRef.current)
      return view ? rowWindow.cover(drawn, view.top, view.bottom) : drawn
    },
    [rowWindow, listRef, scrollRef],
  )

  useRowSizes({ rowWindow, listRef, scrollRef, isLong, onResize: look })

  useEffect(() => {
    const scroll = scrollRef.current
    if (!scroll || !isLong) return undefined
    const onScroll = () => {
      const next = cover(shown.current)
      if (next === shown.current) look()
      // Left to itself React draws after the frame, in which a view that has leapt would be blank.
      else flushSync(() => setRange(next))
    }
    scroll.addEventListener('scroll', onScroll, { passive: true })
    return () => scroll.removeEventListener('scroll', onScroll)
  }, [scrollRef, isLong, cover, look])

  /** Draws what is missing, as long as there is hope. */
  const settle = useCallback(
    (drawn: RowRange | undefined) => {
      shown.current = drawn
      const next = cover(drawn)
      if (next === drawn) passes.current = 0
      else if (passes.current++ < MOST_PASSES) setRange(next)
    },
    [cover],
  )
  // What is drawn may have moved what is in view.
  useLayoutEffect(() => {
    if (isLong) settle(range)
  })
  useEffect(() => {
    if (isLong) startTransition(look)
  })
  return { range: isLong ? range : undefined, look }
}
