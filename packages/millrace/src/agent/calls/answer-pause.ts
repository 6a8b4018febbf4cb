import { badRequest } from '../../errors/index.ts'
import { type ContentBlock, isCall } from '../../events/index.ts'
import {
  blockProblem,
  fromResultBlock,
  fromResultContent,
  toResultBlock,
} from '../../tools/index.ts'
import {
  type AgentState,
  type Decision,
  agentsIn,
  answerTo,
  changeFirst,
  decisionOn,
  findFirst,
  findResult,
  isResultFor,
} from '../state/index.ts'
import {
  type ApprovalDecision,
  type FrontendResult,
  notOfAgent,
  type PauseAnswers,
} from '../port/index.ts'
import {
  addDecision,
  answeredOtherwise,
  findDecision,
  notAwaited,
  withEdit,
} from './decide-call.ts'

/** The block types of a result; any other would make every later request invalid. */
const resultParts = new Set(['text', 'image', 'document', 'search_result'])

/** A state after answers of users and browsers. */
export interface PauseAnswer {
  readonly state: AgentState
  /** Whether an agent that waited has all of its answers, so that the run can resume. */
  readonly complete: boolean
  /** Whether any answer was new. */
  readonly changed: boolean
}

/**
 * Stores answers to pending calls of the agent or its sub-agents. The first answer to a call counts; an equal one changes nothing. Throws
 * `conflict` for a different answer, a call that is over, and a call of another agent than the answer names, and `not_found` for an
 * unknown call. Stores all answers or none. A decision without a time was received at `now`.
 */
export function answerPause(
  state: AgentState,
  { results = [], decisions = [] }: PauseAnswers,
  now = Date.now(),
): PauseAnswer {
  for (const answer of [...results, ...decisions]) checkOwner(state, answer)
  const answered = results.map(toBlock).reduce(addResult, state)
  const decided = decisions.reduce((prior, given) => addDecision(prior, given, now), answered)
  return {
    state: decided,
    complete: agentsIn(decided).some(canResume),
    changed: decided !== state,
  }
}

/** Checks whether an agent is paused and has the answers to all of its own pending calls. */
export function canResume(state: AgentState): boolean {
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
  if (known === undefined) throw notAwaited(id)
  const decision = findFirst(state, (agent) => findDecision(agent, id))
  const isSame = [answer, toEdited(answer, decision)].some((one) => isEqual(one, known))
  if (isSame) return state
  throw answeredOtherwise(id)
}

/** Selects agents whose calls do not exist for the sender of an answer. */
export type Hides = (agent: string) => boolean

/** Throws `not_found` for an answer to a call of a hidden agent. */
export function checkVisible(
  state: AgentState,
  { results = [], decisions = [] }: PauseAnswers,
  hides: Hides | undefined,
): void {
  if (hides === undefined) return
  const hidden = [...results, ...decisions].find(({ toolUseId: callId }) => {
    const owner = ownerOfCall(state, callId)
    return owner !== undefined && hides(owner)
  })
  if (hidden !== undefined) throw notAwaited(hidden.toolUseId)
}

/** Refuses an answer that names another agent than that of the call. [CALL-2] */
function checkOwner(state: AgentState, answer: FrontendResult | ApprovalDecision): void {
  const { toolUseId: id, agent: named } = answer
  if (named === undefined) return
  const owner = ownerOfCall(state, id)
  if (owner === undefined || owner === named) return
  throw notOfAgent({ id, agent: owner }, named)
}

/** Returns the id of the agent that made a call, in any of its runs. */
function ownerOfCall(state: AgentState, id: string): string | undefined {
  const owner =
    agentsIn(state).find(({ turn }) => turn?.calls.some((call) => call.id === id)) ??
    findFirst(state, (agent) => (hasMadeCall(agent, id) ? agent : undefined))
  return owner?.agent
}

function hasMadeCall({ messages }: AgentState, id: string): boolean {
  return messages.some(({ content }) =>
    content.some((block) => isCall(block) && block['id'] === id),
  )
}

function findKnownResult({ turn, messages }: AgentState, id: string): ContentBlock | undefined {
  const { announced = [], answers = [], results = [] } = turn ?? {}
  const blocks = announced.includes(id) ? [...answers, ...results] : []
  return blocks.find((block) => isResultFor(block, id)) ?? findResult(messages, id)
}

/** Returns an answer in the form that the conversation stores when a user has changed the arguments. */
function toEdited(answer: ContentBlock, decision: Decision | undefined): ContentBlock {
  const edited = withEdit(fromResultBlock(answer), decision?.inputText)
  return toResultBlock(String(answer['tool_use_id']), edited)
}

function isEqual(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function toBlock({ toolUseId: callId, content, isError }: FrontendResult): ContentBlock {
  for (const block of typeof content === 'string' ? [] : content) checkPart(block)
  return toResultBlock(callId, fromResultContent(content, isError))
}

function checkPart(block: ContentBlock): void {
  if (!resultParts.has(block.type))
    throw badRequest(
      `A result cannot hold a \`${block.type}\` block; use ${[...resultParts].join(', ')}.`,
    )
  const problem = blockProblem(block)
  if (problem !== undefined) throw badRequest(`A part of the result ${problem}.`)
}
