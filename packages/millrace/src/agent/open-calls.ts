import type { AwaitedCall } from '../events/index.ts'
import type { OpenTurn } from './agent-state.ts'
import { isResultFor } from './message-chain.ts'

/** The calls of a turn that have no result yet. */
export function openCalls(turn: OpenTurn | undefined): readonly AwaitedCall[] {
  const { calls = [], results = [] } = turn ?? {}
  return calls.filter((call) => !results.some((block) => isResultFor(block, call.id)))
}
