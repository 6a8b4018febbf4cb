import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** How near the end counts as there, in pixels. */
const NEAR = 40

/** Keeps the end of a box in sight while its content grows, unless someone has scrolled away from it. */
export function useFollowEnd(growing: boolean): RefObject<HTMLPreElement | null> {
  const box = useRef<HTMLPreElement>(null)
  const height = useRef(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !growing) return
    const wasAtEnd = element.scrollTop + element.clientHeight >= height.current - NEAR
    height.current = element.scrollHeight
    if (wasAtEnd) element.scrollTop = element.scrollHeight
  })
  return box
}
