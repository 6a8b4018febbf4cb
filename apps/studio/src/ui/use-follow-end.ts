import { useCallback, useState } from 'react'
import type { RefCallback } from 'react'

/** How near the end counts as there, in pixels. */
const NEAR = 40

/** What becomes of the view when the content is whole. */
export interface FollowOptions {
  /** Who followed it up to its end is taken back to its beginning. */
  readonly returns?: boolean
}

/**
 * Keeps the end of a box in sight while its content grows, unless someone has scrolled away from it. The ref is for
 * the content, which must be a block of its own in the box that scrolls.
 */
export function useFollowEnd(
  growing: boolean,
  { returns = false }: FollowOptions = {},
): RefCallback<HTMLElement> {
  // What was whole at first is read from its beginning; what grew is followed up to its last piece.
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

/** Follow is called when sizes are known, where reading them costs nothing; leave is called once. */
function createFollower(box: HTMLElement) {
  let height = 0
  const isAtEnd = (): boolean => box.scrollTop + box.clientHeight >= height - NEAR
  return {
    follow(): void {
      const { scrollHeight } = box
      // Nothing has a size in a card that is folded.
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
