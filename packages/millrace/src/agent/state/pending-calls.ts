import type { AwaitedCall } from '../../events/index.ts'
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

/** The ids of the agents that have paused, a paused run and its sub-agents. */
export function waitingAgents(state: AgentState): readonly string[] {
  return agentsIn(state).flatMap(({ agent, pause }) => (pause === undefined ? [] : [agent]))
}

/** An answer that was given to a call. */
export interface GivenAnswer {
  readonly toolUseId: string
  /** A tool of the browser may need both, one after the other. */
  readonly kind: 'result' | 'decision'
}

/** What people and browsers have answered to calls of the turn in hand, of the agent and its sub-agents. */
export function answersIn(state: AgentState): readonly GivenAnswer[] {
  return agentsIn(state).flatMap(({ turn }) => [
    ...(turn?.answers ?? []).map((block) => toGiven(String(block['tool_use_id']), 'result')),
    ...Object.keys(turn?.decisions ?? {}).map((id) => toGiven(id, 'decision')),
  ])
}

function toGiven(toolUseId: string, kind: GivenAnswer['kind']): GivenAnswer {
  return { toolUseId, kind }
}
