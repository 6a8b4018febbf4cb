import type { AwaitedCall } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'
import { agentsIn } from './agent-tree.ts'
import { answerTo, decisionOn } from './turn-answers.ts'

/** A call that waits for someone, and whose it is. */
export interface PendingCall extends AwaitedCall {
  readonly agent: string
}

/** The calls of an agent and its sub-agents that wait: for the browser, and for a person's word. */
export interface PendingCalls {
  readonly calls: readonly PendingCall[]
  readonly approvals: readonly PendingCall[]
}

/** What a state waits for. */
export function pendingOf(state: AgentState): PendingCalls {
  const paused = agentsIn(state).flatMap(({ agent, pause, turn }) =>
    pause === undefined || turn === undefined ? [] : [{ agent, pause, turn }],
  )
  return {
    calls: paused.flatMap(({ agent, pause, turn }) =>
      pause.calls
        .filter(({ id }) => answerTo(turn, id) === undefined)
        .map((call) => ({ ...call, agent })),
    ),
    approvals: paused.flatMap(({ agent, pause, turn }) =>
      pause.approvals
        .filter(({ id }) => decisionOn(turn, id) === undefined)
        .map((call) => ({ ...call, agent })),
    ),
  }
}

/** The calls that people and browsers have answered and that were not worked on since. */
export function answeredIds(state: AgentState): readonly string[] {
  return agentsIn(state).flatMap(({ turn }) => [
    ...(turn?.answers ?? []).map((block) => String(block['tool_use_id'])),
    ...Object.keys(turn?.decisions ?? {}),
  ])
}
