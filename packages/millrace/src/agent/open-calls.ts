import type { AwaitedCall } from '../events/index.ts'
import type { OpenTurn } from './agent-state.ts'

/** The calls of a turn that have no result yet. */
export function openCalls(turn: OpenTurn | undefined): readonly AwaitedCall[] {
  const { calls = [], results = [] } = turn ?? {}
  const answered = new Set(results.map((block) => block['tool_use_id']))
  return calls.filter(({ id }) => !answered.has(id))
}
