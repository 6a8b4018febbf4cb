import type { BlockPlace } from '../../session/frames/index.ts'
import { useStudio } from '../../session/index.ts'
import { nextFrame } from '../../ui/index.ts'
import { pathToBlock } from './path-to-block.ts'
import { useScrollView } from './scroll-view.ts'

/** Scrolls to a block of any agent and returns its row once it is drawn. */
export function useReveal(): (place: BlockPlace) => Promise<HTMLElement | undefined> {
  const { session } = useStudio()
  const { lists, lanes } = useScrollView()
  return async (place) => {
    let row: HTMLElement | undefined
    for (const { agent, position } of pathToBlock(session.getSnapshot().transcript, place)) {
      if (!lists.has(agent)) await expandAgent(lanes.get(agent))
      lists.get(agent)?.reveal(position)
      // New rows may have other heights, and nested lists exist only now.
      await nextFrame()
      lists.get(agent)?.reveal(position)
      await nextFrame()
      row = lists.get(agent)?.rowOf(position) ?? row
    }
    return row
  }
}

async function expandAgent(lane: (() => void) | undefined): Promise<void> {
  lane?.()
  await nextFrame()
}

/** Highlights a row briefly. */
export function flashRow(row: Element | undefined): void {
  const frame = (color: string) => ({ outline: `3px solid ${color}`, outlineOffset: '4px' })
  row?.animate([frame('var(--warn-line)'), frame('transparent')], 1_600)
}
