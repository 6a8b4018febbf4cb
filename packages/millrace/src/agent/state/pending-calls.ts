import type { GivenAnswer, PendingCalls } from '../port/index.ts'
import type { AgentState, Decision, OpenTurn } from './agent-state.ts'
import { agentsIn } from './agent-tree.ts'
import type { ContentBlock } from '../../events/index.ts'
import { isResultFor } from './message-chain.ts'

/** Returns the pending calls of an agent and its sub-agents. */
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

/** Returns the ids of the paused agents, those of a paused run and its sub-agents. */
export function waitingAgents(state: AgentState): readonly string[] {
  return agentsIn(state).flatMap(({ agent, pause }) => (pause === undefined ? [] : [agent]))
}

/** Lists the answers to calls of the open turn, of the agent and its sub-agents. */
export function answersIn(state: AgentState): readonly GivenAnswer[] {
  return agentsIn(state).flatMap(({ agent, turn }): GivenAnswer[] => [
    ...(turn?.answers ?? []).map((block) => ({
      toolUseId: String(block['tool_use_id']),
      kind: 'result' as const,
      agent,
    })),
    ...Object.keys(turn?.decisions ?? {}).map((callId) => ({
      toolUseId: callId,
      kind: 'decision' as const,
      agent,
    })),
  ])
}

/** Returns the browser's answer to a call, if it has arrived and was not emitted yet. */
export function answerTo({ answers = [] }: OpenTurn, callId: string): ContentBlock | undefined {
  return answers.find((block) => isResultFor(block, callId))
}

/** Returns the decision on a call. */
export function decisionOn({ decisions = {} }: OpenTurn, callId: string): Decision | undefined {
  return Object.hasOwn(decisions, callId) ? decisions[callId] : undefined
}
