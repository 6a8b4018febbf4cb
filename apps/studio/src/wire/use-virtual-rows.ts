import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'

/** Rows drawn beyond the view, so that fast scrolling shows no gap. */
const OVERSCAN = 8

interface VirtualRowsOptions {
  readonly count: number
  readonly rowHeight: number
  /** Increases when rows at the top are dropped, so that the view stays in place. */
  readonly firstKey: number
}

/** Rows to draw, and the controls. */
export interface VirtualRows {
  readonly scrollRef: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  readonly start: number
  readonly end: number
  /** The newest row is kept in view. */
  readonly following: boolean
  readonly follow: () => void
  readonly reveal: (row: number) => void
}

/** Draws only the rows in view, and follows the newest until the user scrolls up. */
export function useVirtualRows({ count, rowHeight, firstKey }: VirtualRowsOptions): VirtualRows {
  const scrollRef = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const [following, setFollowing] = useState(true)
  const lastKey = useRef(firstKey)
  const drawn = useRef({ start: 0, end: 0, isLast: false })

  const onScroll = useCallback(() => {
    const scroll = scrollRef.current
    if (!scroll) return
    const { scrollTop: top, clientHeight: height, scrollHeight } = scroll
    const show = () => {
      setView((last) => (last.top === top && last.height === height ? last : { top, height }))
      setFollowing(scrollHeight - top - height < rowHeight)
    }
    const { start, end, isLast } = drawn.current
    const isDrawn = top >= start * rowHeight && (isLast || top + height <= end * rowHeight)
    // Otherwise React would draw after the frame and the view would be blank.
    if (isDrawn) show()
    else flushSync(show)
  }, [rowHeight])

  useLayoutEffect(() => {
    const scroll = scrollRef.current
    if (!scroll) return
    const dropped = firstKey - lastKey.current
    lastKey.current = firstKey
    // Also when the height changes: a smaller list keeps its top and not its end.
    if (following && view.height > 0) scroll.scrollTop = count * rowHeight
    else if (dropped > 0) scroll.scrollTop -= dropped * rowHeight
  }, [count, firstKey, following, rowHeight, view.height])

  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const scroll = scrollRef.current
      if (!scroll) return
      flushSync(() => setView({ top: scroll.scrollTop, height: scroll.clientHeight }))
    })
    if (scrollRef.current) observer.observe(scrollRef.current)
    return () => observer.disconnect()
  }, [])

  const reveal = useCallback(
    (row: number) => {
      const scroll = scrollRef.current
      if (!scroll) return
      const top = row * rowHeight
      const before = scroll.scrollTop
      if (top < scroll.scrollTop) scroll.scrollTop = top
      const bottom = top + rowHeight - scroll.clientHeight
      if (bottom > scroll.scrollTop) scroll.scrollTop = bottom
      // The browser sends the event in the next frame, and an earlier row would scroll back to the end.
      if (scroll.scrollTop < before) setFollowing(false)
    },
    [rowHeight],
  )

  // While following, the view is known before the browser has scrolled.
  const top = following ? Math.max(0, count * rowHeight - view.height) : view.top
  const start = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN)
  const end = Math.min(count, Math.ceil((top + view.height) / rowHeight) + OVERSCAN)
  useLayoutEffect(() => {
    drawn.current = { start, end, isLast: end === count }
  }, [start, end, count])
  return { scrollRef, onScroll, start, end, following, follow: () => setFollowing(true), reveal }
}
