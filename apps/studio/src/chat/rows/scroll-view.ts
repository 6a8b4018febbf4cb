import { createContext, useContext } from 'react'
import type { RefObject } from 'react'

/** Finds the rows of an agent's blocks. */
interface RowFinder {
  /** Scrolls to a block. */
  readonly reveal: (position: number) => void
  /** Returns the row of a block, if it is drawn. */
  readonly rowOf: (position: number) => HTMLElement | undefined
}

/** The scrolling area of all row lists, and the lists by agent. */
export interface ScrollView {
  readonly scrollRef: RefObject<HTMLDivElement | null>
  readonly lists: Map<string, RowFinder>
  /** Functions that expand the column of an agent. */
  readonly lanes: Map<string, () => void>
}

/** Context with the scrolling area around a list of rows. */
export const ScrollViewContext = createContext<ScrollView>({
  scrollRef: { current: null },
  lists: new Map(),
  lanes: new Map(),
})

/** Returns the scrolling area around a list of rows. */
export function useScrollView(): ScrollView {
  return useContext(ScrollViewContext)
}
