import type { AgentEvent } from '../../events/index.ts'
import { isBoundaryEvent } from '../../exit/index.ts'

/** Where in a log the steps begin that agents are still at. */
export interface UnsettledSteps {
  /** Takes an event whose first message has this id. */
  take(event: AgentEvent, firstId: number): void
  /** The first message of the oldest such step; undefined if nothing of one was shown. */
  from(): number | undefined
}

/** Follows all agents of a run: one may be in the middle of a step while the state of another is stored. */
export function createUnsettledSteps(
  known: Iterable<readonly [agent: string, firstId: number]> = [],
): UnsettledSteps {
  const since = new Map(known)
  return {
    take({ type, agent }, firstId) {
      if (isBoundaryEvent(type)) since.delete(agent)
      else if (type === 'block_start' && !since.has(agent)) since.set(agent, firstId)
    },
    from: () => (since.size === 0 ? undefined : Math.min(...since.values())),
  }
}
