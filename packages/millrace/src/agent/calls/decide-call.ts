import { badRequest, MillraceError } from '../../errors/index.ts'
import type { AnnouncedCall, ApprovalRequest } from '../../events/index.ts'
import {
  agentsIn,
  type AgentState,
  changeAgent,
  changeFirst,
  type Decision,
  decisionOn,
  findFirst,
  findResult,
  type OpenTurn,
} from '../state/index.ts'
import type { ApprovalDecision } from '../port/index.ts'
import { hashInput, type JsonValue } from '../../json/index.ts'
import { parseInput, type ToolAnswer } from '../../tools/index.ts'

/**
 * Records a decision on a call that waits for approval. The first decision counts; an equal one changes nothing. Throws `conflict` for a
 * different decision, for other arguments than the call's, and for a late approval.
 */
export function addDecision(state: AgentState, given: ApprovalDecision, now: number): AgentState {
  const { toolUseId: id, at = now } = given
  checkOutcome(given)
  const changed = changeFirst(state, (agent) => {
    const { pause, turn } = agent
    const call = pause?.approvals.find((asked) => asked.id === id)
    if (turn === undefined || call === undefined || decisionOn(turn, id)) return undefined
    // Requests of version 0.1.0 have no hash.
    const { inputHash } = call.request ?? { inputHash: hashCall(call) }
    checkShown(id, given.inputHash, inputHash)
    return { ...agent, turn: withDecision(turn, id, toDecision(given, call, at)) }
  })
  return changed ?? repeatDecision(state, given)
}

/** Expires overdue approval requests of an agent and its sub-agents, which denies their calls. [APR-4] */
export function expireRequests(state: AgentState, now: number): AgentState {
  return overdueCalls(state, now).reduce(
    (prior, { agent, call }) =>
      changeAgent(prior, agent, (one) =>
        one.turn === undefined
          ? one
          : { ...one, turn: withDecision(one.turn, call.id, toExpiry(call.request)) },
      ),
    state,
  )
}

/** Checks whether a time limit has passed. */
export function isPast(expiresAt: number | undefined, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

/** Returns the decision on a call of an agent, in its open turn or an earlier one. */
export function findDecision(
  { turn, decisions = {} }: AgentState,
  id: string,
): Decision | undefined {
  const earlier = Object.hasOwn(decisions, id) ? decisions[id] : undefined
  return (turn && decisionOn(turn, id)) ?? earlier
}

/** Returns an open turn with the decision on a call. */
export function withDecision(turn: OpenTurn, id: string, decision: Decision): OpenTurn {
  return { ...turn, decisions: { ...turn.decisions, [id]: decision } }
}

function overdueCalls(state: AgentState, now: number) {
  return agentsIn(state).flatMap(({ agent, pause, turn }) =>
    (pause?.approvals ?? [])
      .filter(({ id, request }) => isPast(request?.expiresAt, now) && turn && !decisionOn(turn, id))
      .map((call) => ({ agent, call })),
  )
}

function repeatDecision(state: AgentState, given: ApprovalDecision): AgentState {
  const { toolUseId: id } = given
  const known = findFirst(state, (agent) => findDecision(agent, id))
  if (known === undefined) {
    const result = findFirst(state, ({ messages }) => findResult(messages, id))
    throw result === undefined ? notAwaited(id) : isClosed(id)
  }
  checkShown(id, given.inputHash, known.inputHash)
  if (known.outcome === 'expired') {
    if (given.outcome === 'refused') return state
    throw hasExpired(id, known.at)
  }
  if (isSame(known, given)) return state
  throw answeredOtherwise(id)
}

/** Rejects an invalid outcome, which must not count as an approval. */
function checkOutcome({ toolUseId: callId, outcome }: ApprovalDecision): void {
  if (outcome === 'approved' || outcome === 'refused') return
  throw badRequest(
    `The \`outcome\` of the decision on ${callId} is ${JSON.stringify(outcome)}; it must be "approved" or "refused".`,
  )
}

/** Rejects an approval of other arguments than those that were shown. [APR-2] */
function checkShown(id: string, shown: string | undefined, inputHash: string | undefined): void {
  if (shown === undefined || shown === inputHash) return
  throw new MillraceError(
    'conflict',
    `The arguments that were shown for call ${id} are not those of the call; nothing was decided. Read the session again, show the current arguments, and decide on these.`,
    { details: { reason: 'input_changed', tool_use_id: id, input_hash: inputHash ?? null } },
  )
}

function toDecision(given: ApprovalDecision, call: AnnouncedCall, at: number): Decision {
  const { toolUseId: callId, outcome, input, reason, by = null } = given
  const { askedAt = at, expiresAt, inputHash } = call.request ?? {}
  if (isPast(expiresAt, at)) {
    // A late denial has the same effect as the expiry.
    if (outcome === 'approved') throw hasExpired(callId, expiresAt)
    return toExpiry(call.request)
  }
  return {
    outcome,
    ...(input !== undefined && { inputText: JSON.stringify(input) }),
    ...(reason !== undefined && { reason }),
    by,
    at,
    ...(inputHash !== undefined && { inputHash }),
    ...(expiresAt !== undefined && { expiresAt: at + (expiresAt - askedAt) }),
  }
}

function toExpiry({ expiresAt, inputHash }: Partial<ApprovalRequest> = {}): Decision {
  return {
    outcome: 'expired',
    by: null,
    ...(expiresAt !== undefined && { at: expiresAt }),
    ...(inputHash !== undefined && { inputHash }),
  }
}

function isSame(known: Decision, { outcome, input, reason }: ApprovalDecision): boolean {
  const inputText = input === undefined ? undefined : JSON.stringify(input)
  return known.outcome === outcome && known.inputText === inputText && known.reason === reason
}

/** Creates the error for a second, different answer to a call. */
export function answeredOtherwise(id: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Call ${id} already has another answer; the first answer counts.`,
  )
}

/** Creates the error for an answer to a call that waits for none. */
export function notAwaited(id: string): MillraceError {
  return new MillraceError(
    'not_found',
    `No call ${id} waits for an answer; answer one of those that the stream has announced.`,
  )
}

function isClosed(id: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Call ${id} is over and needs no decision; read its result in the stream.`,
  )
}

function hasExpired(id: string, expiredAt: number | undefined): MillraceError {
  const at = expiredAt === undefined ? null : new Date(expiredAt).toISOString()
  return new MillraceError(
    'conflict',
    `The request to approve call ${id} expired${at === null ? '' : ` at ${at}`}; the call does not run. Read the stream for the rest of the run; the agent may ask again.`,
    { details: { reason: 'expired', tool_use_id: id, expired_at: at } },
  )
}

/** Returns the hash of a call's arguments; undefined without a canonical form, which no hash can approve. */
export function hashCall({ inputText }: AnnouncedCall): string | undefined {
  const input = parseInput(inputText)
  if ('problem' in input) return undefined
  try {
    return hashInput(input.value as JsonValue)
  } catch {
    // A number beyond a double, or nesting too deep for the stack.
    return undefined
  }
}

/** Returns a call with the arguments that a user has approved, if they differ from the model's. */
export function decidedCall(turn: OpenTurn | undefined, call: AnnouncedCall): AnnouncedCall {
  const inputText = turn && decisionOn(turn, call.id)?.inputText
  return inputText === undefined ? call : { ...call, inputText }
}

/** Adds a note to the result of a call whose arguments a user has changed, for the model. */
export function withEdit(answer: ToolAnswer, inputText: string | undefined): ToolAnswer {
  if (inputText === undefined) return answer
  const note = `The user changed the arguments before the tool ran: ${inputText}`
  const content =
    typeof answer.content === 'string'
      ? `${note}\n${answer.content}`
      : [{ type: 'text', text: note }, ...answer.content]
  return { ...answer, text: `${note}\n${answer.text}`, content }
}
