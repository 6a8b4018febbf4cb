import { useStudio } from '../session/studio-context.ts'
import { wayTo } from './find/find-blocks.ts'
import type { BlockPlace } from './find/find-blocks.ts'
import { useScrollView } from './rows/scroll-view.ts'

/** Brings a block into view, in whichever lane it is; settles when it is drawn. */
export function useReveal(): (place: BlockPlace) => Promise<void> {
  const { session } = useStudio()
  const { lists } = useScrollView()
  return async (place) => {
    for (const { agent, position } of wayTo(session.getSnapshot().transcript, place)) {
      lists.get(agent)?.(position)
      // What is drawn now may be of another height, and a list that lies in a row is there only now.
      await nextFrame()
      lists.get(agent)?.(position)
      await nextFrame()
    }
  }
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve))
}
