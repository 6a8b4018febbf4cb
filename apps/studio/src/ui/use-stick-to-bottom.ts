import { useCallback, useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** The distance from the end in pixels that counts as the end. */
const SLACK = 48

/** Scrolling areas that follow their end when content above it changes. */
export const endFollowingAreas = new WeakSet<HTMLElement>()

/** A scrolling area that follows its growing content until the user scrolls up. */
export interface StickToBottom {
  readonly scrollRef: RefObject<HTMLDivElement | null>
  readonly contentRef: RefObject<HTMLDivElement | null>
  readonly pinned: boolean
  /** Scrolls to the end and follows again. */
  readonly jump: () => void
}

/** Follows the end of growing content until the user scrolls up; not while it is empty. */
export function useStickToBottom(isEmpty: boolean): StickToBottom {
  const scrollRef = useRef<HTMLDivElement>(null)
  const contentRef = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const [pinned, setPinned] = useState(true)
  const idle = useRef(isEmpty)

  useEffect(() => {
    idle.current = isEmpty
  }, [isEmpty])

  const jump = useCallback(() => {
    following.current = true
    if (scrollRef.current) endFollowingAreas.add(scrollRef.current)
    setPinned(true)
    scrollToEnd(scrollRef.current)
  }, [])

  useEffect(() => {
    const scroll = scrollRef.current
    const content = contentRef.current
    if (!scroll || !content) return undefined
    let lastTop = scroll.scrollTop
    if (following.current) endFollowingAreas.add(scroll)
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = scroll
      const atEnd = scrollHeight - scrollTop - clientHeight <= SLACK
      // Shrinking content also moves the view up; only a move away from the end is the user's.
      if (atEnd) following.current = true
      else if (scrollTop < lastTop) following.current = false
      if (following.current) endFollowingAreas.add(scroll)
      else endFollowingAreas.delete(scroll)
      lastTop = scrollTop
      setPinned(following.current || atEnd || idle.current)
    }
    const observer = new ResizeObserver(() => {
      if (following.current && !idle.current) scrollToEnd(scroll)
    })
    scroll.addEventListener('scroll', onScroll, { passive: true })
    observer.observe(content)
    observer.observe(scroll)
    return () => {
      scroll.removeEventListener('scroll', onScroll)
      observer.disconnect()
    }
  }, [])

  return { scrollRef, contentRef, pinned, jump }
}

function scrollToEnd(element: HTMLElement | null): void {
  if (!element) return
  const before = element.scrollTop
  element.scrollTo({ top: element.scrollHeight, behavior: 'instant' })
  // The browser sends the event in the next frame, and the rows in view must be drawn in this one.
  if (element.scrollTop !== before) element.dispatchEvent(new Event('scroll'))
}
