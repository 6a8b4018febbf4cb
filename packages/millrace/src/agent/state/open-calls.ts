import type { AwaitedCall } from '../../events/index.ts'
import type { AgentState, OpenTurn } from './agent-state.ts'

/** The calls of a turn that have no result yet. */
export function openCalls(turn: OpenTurn | undefined): readonly AwaitedCall[] {
  const { calls = [], results = [] } = turn ?? {}
  const answered = new Set(results.map((block) => block['tool_use_id']))
  return calls.filter(({ id }) => !answered.has(id))
}

/** Says whether a run is between two steps: every call of the last message has its result, and all is told. */
export function isBetweenSteps({ turn, untold = [] }: AgentState): boolean {
  return turn !== undefined && openCalls(turn).length === 0 && untold.length === 0
}
