import { MillraceError } from '../errors/index.ts'
import type { ContentBlock } from '../events/index.ts'
import { fromResultContent, toResultBlock } from '../tools/index.ts'
import { agentsIn, changeFirst } from './agent-tree.ts'
import type { AgentState, Decision } from './agent-state.ts'
import type { ApprovalDecision, FrontendResult, PauseAnswers } from './agent.ts'
import { findResult, isResultFor } from './message-chain.ts'
import { pendingOf } from './pending-calls.ts'
import { answerTo, decisionOn } from './turn-answers.ts'

/** What a result may consist of; anything else would make every later request invalid. */
const resultParts = new Set(['text', 'image', 'document', 'search_result'])

/** A state that has taken in what people and browsers said. */
export interface PauseAnswer {
  readonly state: AgentState
  /** Whether an agent that waited has all that it waited for: the run can go on. */
  readonly complete: boolean
  /** Whether anything was new; false when all was known already. */
  readonly changed: boolean
}

/**
 * Keeps answers to calls that wait, of the agent or of its sub-agents. The first answer to a call counts: the same
 * one again changes nothing, another one throws `conflict`; a call that never waited throws `not_found`. All or
 * nothing is kept.
 */
export function answerPause(
  state: AgentState,
  { results = [], decisions = [] }: PauseAnswers,
): PauseAnswer {
  const answered = results.map(toBlock).reduce(addResult, state)
  const decided = decisions.reduce(addDecision, answered)
  return {
    state: decided,
    complete: agentsIn(decided).some(canGoOn),
    changed: decided !== state,
  }
}

/** Tells whether an agent has paused and all that it waited for itself is there. */
export function canGoOn(state: AgentState): boolean {
  const { pause, turn } = state
  if (pause === undefined || turn === undefined) return false
  if (pause.calls.length + pause.approvals.length === 0) return false
  return (
    pause.calls.every(({ id }) => answerTo(turn, id) !== undefined) &&
    pause.approvals.every(({ id }) => decisionOn(turn, id) !== undefined)
  )
}

function addResult(state: AgentState, answer: ContentBlock): AgentState {
  const id = String(answer['tool_use_id'])
  const changed = changeFirst(state, (agent) => {
    const { pause, turn } = agent
    if (turn === undefined || pause?.calls.some((call) => call.id === id) !== true) return undefined
    if (answerTo(turn, id) !== undefined) return undefined
    return { ...agent, turn: { ...turn, answers: [...(turn.answers ?? []), answer] } }
  })
  if (changed !== undefined) return changed
  const known = findKnownResult(state, id)
  if (known === undefined) throw notAwaited(state, id)
  if (JSON.stringify(known) === JSON.stringify(answer)) return state
  throw answeredOtherwise(id)
}

function addDecision(state: AgentState, given: ApprovalDecision): AgentState {
  const { toolUseId: id } = given
  const decision = toDecision(given)
  const changed = changeFirst(state, (agent) => {
    const { pause, turn } = agent
    const isAsked = pause?.approvals.some((call) => call.id === id) === true
    if (turn === undefined || !isAsked || decisionOn(turn, id) !== undefined) return undefined
    const decisions = { ...turn.decisions, [id]: decision }
    return { ...agent, turn: { ...turn, decisions } }
  })
  if (changed !== undefined) return changed
  const known = agentsIn(state).flatMap(({ turn }) => (turn && decisionOn(turn, id)) ?? [])[0]
  if (known === undefined) throw notAwaited(state, id)
  if (JSON.stringify(known) === JSON.stringify(decision)) return state
  throw answeredOtherwise(id)
}

function findKnownResult(state: AgentState, id: string): ContentBlock | undefined {
  const { turn, messages, announced = [], children = {} } = state
  const blocks = announced.includes(id) ? [...(turn?.answers ?? []), ...(turn?.results ?? [])] : []
  const own = blocks.find((block) => isResultFor(block, id)) ?? findResult(messages, id)
  if (own !== undefined) return own
  for (const child of Object.values(children)) {
    const found = findKnownResult(child, id)
    if (found !== undefined) return found
  }
  return undefined
}

function toDecision({ outcome, input, reason }: ApprovalDecision): Decision {
  return {
    outcome,
    ...(input !== undefined && { inputText: JSON.stringify(input) }),
    ...(reason !== undefined && { reason }),
  }
}

function answeredOtherwise(id: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Call ${id} has been answered otherwise; the first answer counts.`,
  )
}

function notAwaited(state: AgentState, id: string): MillraceError {
  const { calls, approvals } = pendingOf(state)
  const waiting = [...calls, ...approvals].map((call) => call.id).join(', ') || 'none'
  return new MillraceError('not_found', `No call ${id} waits for an answer; waiting: ${waiting}.`)
}

function toBlock({ toolUseId, content, isError }: FrontendResult): ContentBlock {
  const foreign =
    typeof content === 'string' ? undefined : content.find(({ type }) => !resultParts.has(type))
  if (foreign === undefined) return toResultBlock(toolUseId, fromResultContent(content, isError))
  throw new MillraceError(
    'bad_request',
    `A result cannot hold a \`${foreign.type}\` block; use ${[...resultParts].join(', ')}.`,
  )
}
