import { createContext, useContext } from 'react'
import type { RefObject } from 'react'

/** Finds the blocks of an agent, by their positions. */
export interface RowFinder {
  /** Scrolls to a block. */
  readonly reveal: (position: number) => void
  /** The row that it is in, if that is drawn. */
  readonly rowOf: (position: number) => HTMLElement | undefined
}

/** The scrolled area that all lists of rows lie in, and the lists by the agents that they show. */
export interface ScrollView {
  readonly scrollRef: RefObject<HTMLDivElement | null>
  readonly lists: Map<string, RowFinder>
  /** What unfolds the lane of an agent. */
  readonly lanes: Map<string, () => void>
}

/** The scrolled area around a list of rows. */
export const ScrollViewContext = createContext<ScrollView>({
  scrollRef: { current: null },
  lists: new Map(),
  lanes: new Map(),
})

/** The scrolled area around a list of rows. */
export function useScrollView(): ScrollView {
  return useContext(ScrollViewContext)
}
