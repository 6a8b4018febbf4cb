import { createContext, useContext } from 'react'
import type { RefObject } from 'react'

/** Goes to a block of an agent, by its position. */
export type RevealBlock = (position: number) => void

/** The scrolled area that all lists of rows lie in, and the lists by the agents that they show. */
export interface ScrollView {
  readonly scrollRef: RefObject<HTMLDivElement | null>
  readonly lists: Map<string, RevealBlock>
}

/** The scrolled area around a list of rows. */
export const ScrollViewContext = createContext<ScrollView>({
  scrollRef: { current: null },
  lists: new Map(),
})

/** The scrolled area around a list of rows. */
export function useScrollView(): ScrollView {
  return useContext(ScrollViewContext)
}
