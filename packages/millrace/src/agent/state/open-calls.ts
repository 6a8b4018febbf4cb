import type { AnnouncedCall } from '../../events/index.ts'
import type { AgentState, OpenTurn } from './agent-state.ts'

/** Returns the calls of an open turn that have no result yet. */
export function openCalls(turn: OpenTurn | undefined): readonly AnnouncedCall[] {
  const { calls = [], results = [] } = turn ?? {}
  const answered = new Set(results.map((block) => block['tool_use_id']))
  return calls.filter(({ id }) => !answered.has(id))
}

/** Checks whether a run is between two steps: every call of the last message has its result, and every event was sent. */
export function isBetweenSteps({ turn, unsent = [] }: AgentState): boolean {
  return turn !== undefined && openCalls(turn).length === 0 && unsent.length === 0
}
