import { useCallback, useState } from 'react'
import type { RefCallback } from 'react'

/** The distance from the end in pixels that counts as the end. */
const NEAR = 40

/** Options for the end of the growth. */
export interface FollowOptions {
  /** Returns to the beginning after following to the end. */
  readonly returns?: boolean
}

/**
 * Scrolls a box to its end while its content grows, unless the user has scrolled away. The ref is for the content, a
 * block element in the scrolling box.
 */
export function useFollowEnd(
  growing: boolean,
  { returns = false }: FollowOptions = {},
): RefCallback<HTMLElement> {
  // A complete text is shown from its beginning; a growing one is followed to its end.
  const [grew] = useState(growing)
  const follows = returns ? growing : grew
  return useCallback(
    (content) => {
      const box = content?.parentElement
      if (!content || !box || !follows) return undefined
      const follower = createFollower(box)
      const observer = new ResizeObserver(follower.follow)
      observer.observe(content)
      return () => {
        observer.disconnect()
        if (returns) follower.leave()
      }
    },
    [follows, returns],
  )
}

/** Creates the functions of a follower. `follow` runs after layout, when sizes are cheap to read; `leave` runs once. */
function createFollower(box: HTMLElement) {
  let height = 0
  const isAtEnd = (): boolean => box.scrollTop + box.clientHeight >= height - NEAR
  return {
    follow(): void {
      const { scrollHeight } = box
      // A collapsed card has no size.
      if (scrollHeight === 0) return
      const wasAtEnd = isAtEnd()
      height = scrollHeight
      if (wasAtEnd) box.scrollTop = scrollHeight
    },
    leave(): void {
      if (box.isConnected && isAtEnd()) box.scrollTop = 0
    },
  }
}
