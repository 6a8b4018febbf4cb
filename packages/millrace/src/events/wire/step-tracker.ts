import { traitsOfEvent } from '../../envelope/index.ts'
import { firstIdOf, type Piece, type StreamEvent } from './stream-event.ts'

/** Follows the blocks of each agent that a `rollback` can void. [LIFE-8] */
export interface StepTracker {
  /** Handles the next event; returns the first pieces of the blocks that it voids, oldest first. */
  take(event: StreamEvent): readonly Piece[]
  /** Returns the first pieces of the blocks that an agent has shown in its current step. */
  unsettled(agent: string): readonly Piece[]
  /** Returns the id of the first frame that can still become void; undefined if there is none. */
  firstUnsettledId(): number | undefined
}

const none: readonly Piece[] = []

/** Creates the tracker of one log. */
export function createStepTracker(): StepTracker {
  const shown = new Map<string, Piece[]>()
  const unsettled = (agent: string): readonly Piece[] => shown.get(agent) ?? none

  /** Ends the step of an agent; returns what it has shown. */
  function settle(agent: string): readonly Piece[] {
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
