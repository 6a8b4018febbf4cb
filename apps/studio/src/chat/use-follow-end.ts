import { useCallback, useState } from 'react'
import type { RefCallback } from 'react'

/** How near the end counts as there, in pixels. */
const NEAR = 40

/**
 * Keeps the end of a box in sight while its content grows, unless someone has scrolled away from it. The ref is for
 * the content, which must be a block of its own in the box that scrolls.
 */
export function useFollowEnd(growing: boolean): RefCallback<HTMLElement> {
  // What was whole at first is read from its beginning; what grew is followed up to its last piece.
  const [follows] = useState(growing)
  return useCallback(
    (content) => {
      const box = content?.parentElement
      if (!content || !box || !follows) return undefined
      const observer = new ResizeObserver(createFollower(box))
      observer.observe(content)
      return () => observer.disconnect()
    },
    [follows],
  )
}

/** Called when sizes are known, where reading them costs nothing. */
function createFollower(box: HTMLElement): () => void {
  let height = 0
  return () => {
    const { scrollTop, clientHeight, scrollHeight } = box
    // Nothing has a size in a card that is folded.
    if (scrollHeight === 0) return
    const wasAtEnd = scrollTop + clientHeight >= height - NEAR
    height = scrollHeight
    if (wasAtEnd) box.scrollTop = scrollHeight
  }
}
