import { toDecisionFields, type ToolStatus } from '../../events/index.ts'
import {
  type AgentState,
  type Decision,
  type OpenTurn,
  type Pause,
  agentsIn,
  answerTo,
  changeAgent,
  decisionOn,
} from '../state/index.ts'
import { canResume } from './answer-pause.ts'

/** An answer that no event has reported: its event, and the change that marks it as reported. */
interface UnreportedAnswer {
  readonly event: ToolStatus
  readonly change: (state: AgentState) => AgentState
}

/**
 * Returns the answers of agents with other pending calls, because a page must not show answered calls as pending. An agent with all of
 * its answers resumes and reports them itself. [LIFE-11]
 */
export function unreportedAnswers(state: AgentState): readonly UnreportedAnswer[] {
  return agentsIn(state)
    .filter((agent) => !canResume(agent))
    .flatMap(({ agent, turn, pause }) =>
      turn === undefined || pause === undefined ? [] : unreportedOf(agent, turn, pause),
    )
}

function unreportedOf(
  agent: string,
  turn: OpenTurn,
  { approvals, calls }: Pause,
): UnreportedAnswer[] {
  const { decided = [], answered = [] } = turn
  const decisions = approvals.flatMap(({ id, name }): UnreportedAnswer[] => {
    const decision = decided.includes(id) ? undefined : decisionOn(turn, id)
    if (decision === undefined) return []
    const event = toDecisionStatus({ agent, id, name }, decision)
    return [{ event, change: (state) => markReported(state, agent, { list: 'decided', id }) }]
  })
  const answers = calls.flatMap(({ id, name }): UnreportedAnswer[] => {
    if (answered.includes(id) || answerTo(turn, id) === undefined) return []
    const event: ToolStatus = { type: 'tool_status', agent, callId: id, name, stage: 'answered' }
    return [{ event, change: (state) => markReported(state, agent, { list: 'answered', id }) }]
  })
  return [...decisions, ...answers]
}

/** Creates the event that reports a decision on a call. */
export function toDecisionStatus(
  call: { readonly agent: string; readonly id: string; readonly name: string },
  decision: Decision,
): ToolStatus {
  const { agent, id, name } = call
  const { outcome, inputText, reason } = decision
  const detail = outcome === 'approved' ? inputText : reason
  return {
    type: 'tool_status',
    agent,
    callId: id,
    name,
    stage: outcome,
    ...(detail !== undefined && { detail }),
    ...toFields(decision),
  }
}

/** Returns the record of a decision; states of older versions lack its time. */
function toFields({ at, by = null, inputHash, inputText }: Decision): Pick<ToolStatus, 'fields'> {
  if (at === undefined) return {}
  return { fields: toDecisionFields({ by, at, inputHash, isEdited: inputText !== undefined }) }
}

/** Returns a state in which a decision or an answer counts as reported. */
export function markReported(
  state: AgentState,
  agent: string,
  { list, id }: { readonly list: 'decided' | 'answered'; readonly id: string },
): AgentState {
  return changeAgent(state, agent, (one) => {
    const { turn } = one
    return turn === undefined
      ? one
      : { ...one, turn: { ...turn, [list]: [...(turn[list] ?? []), id] } }
  })
}
