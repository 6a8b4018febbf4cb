import { traitsOfEvent } from '../catalog/find-traits.ts'
import { firstIdOf, type Piece } from './stream-event.ts'

/** The start of a block. */
export type BlockOpening = Pick<Piece, 'type' | 'agent' | 'block' | 'start' | 'end'>

type StepEvent<Opening> = Opening | { readonly type: string; readonly agent: string }

/** Follows the blocks of each agent that a `rollback` can void. [LIFE-8] */
interface StepTracker<Opening extends BlockOpening = Piece> {
  /** Handles the next event; returns the first pieces of the blocks that it voids, oldest first. */
  take(event: StepEvent<Opening>): readonly Opening[]
  /** Returns the first pieces of the blocks that an agent has shown in its current step. */
  unsettled(agent: string): readonly Opening[]
  /** Returns the id of the first frame that can still become void; undefined if there is none. */
  firstUnsettledId(): number | undefined
}

const none: readonly never[] = []

/** Creates the tracker of one log. */
export function createStepTracker<Opening extends BlockOpening = Piece>(): StepTracker<Opening> {
  const shown = new Map<string, Opening[]>()
  const unsettled = (agent: string): readonly Opening[] => shown.get(agent) ?? none

  /** Ends the step of an agent; returns its shown content. */
  function settle(agent: string): readonly Opening[] {
    const blocks = unsettled(agent)
    shown.delete(agent)
    return blocks
  }

  return {
    take(event) {
      const { type, agent } = event
      const step = traitsOfEvent(type)?.step
      const isPiece = 'start' in event
      if (step === 'boundary') {
        const isComplete = !isPiece || event.end
        const blocks = isComplete ? settle(agent) : none
        return type === 'rollback' ? blocks : none
      }
      if (step !== 'content' || !isPiece || !event.start) return none
      const blocks = shown.get(agent)
      if (blocks === undefined) shown.set(agent, [event])
      else blocks.push(event)
      return none
    },
    unsettled,
    firstUnsettledId() {
      const firsts = [...shown.values()].flatMap(([first]) => first ?? [])
      return firsts.length === 0 ? undefined : Math.min(...firsts.map(firstIdOf))
    },
  }
}
