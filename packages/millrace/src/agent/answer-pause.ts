import { MillraceError } from '../errors/index.ts'
import type { ContentBlock } from '../events/index.ts'
import { fromResultBlock, fromResultContent, toResultBlock } from '../tools/index.ts'
import { agentsIn, changeFirst } from './agent-tree.ts'
import type { AgentState, Decision } from './agent-state.ts'
import type { ApprovalDecision, FrontendResult, PauseAnswers } from './agent.ts'
import { withEdit } from './edited-call.ts'
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
  const known = findFirst(state, (agent) => findKnownResult(agent, id))
  if (known === undefined) throw notAwaited(state, id)
  const decision = findFirst(state, (agent) => findDecision(agent, id))
  const isSame = [answer, toEdited(answer, decision)].some((one) => isEqual(one, known))
  if (isSame) return state
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
  const known = findFirst(state, (agent) => findDecision(agent, id))
  if (known === undefined) throw notAwaited(state, id)
  if (isEqual(known, decision)) return state
  throw answeredOtherwise(id)
}

/** Looks through an agent and all sub-agents that it ever had. */
function findFirst<Found>(
  state: AgentState,
  find: (agent: AgentState) => Found | undefined,
): Found | undefined {
  const own = find(state)
  if (own !== undefined) return own
  for (const child of Object.values(state.children ?? {})) {
    const found = findFirst(child, find)
    if (found !== undefined) return found
  }
  return undefined
}

function findKnownResult({ turn, messages }: AgentState, id: string): ContentBlock | undefined {
  const { announced = [], answers = [], results = [] } = turn ?? {}
  const blocks = announced.includes(id) ? [...answers, ...results] : []
  return blocks.find((block) => isResultFor(block, id)) ?? findResult(messages, id)
}

function findDecision({ turn, decisions = {} }: AgentState, id: string): Decision | undefined {
  const earlier = Object.hasOwn(decisions, id) ? decisions[id] : undefined
  return (turn && decisionOn(turn, id)) ?? earlier
}

/** An answer as it stands in the conversation if a person had changed the arguments. */
function toEdited(answer: ContentBlock, decision: Decision | undefined): ContentBlock {
  const edited = withEdit(fromResultBlock(answer), decision?.inputText)
  return toResultBlock(String(answer['tool_use_id']), edited)
}

function isEqual(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** A decision that says neither yes nor no must not pass for a yes. */
function toDecision({ toolUseId, outcome, input, reason }: ApprovalDecision): Decision {
  if (outcome !== 'approved' && outcome !== 'refused')
    throw new MillraceError(
      'bad_request',
      `The \`outcome\` of the decision on ${toolUseId} is ${JSON.stringify(outcome)}; it must be "approved" or "refused".`,
    )
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
