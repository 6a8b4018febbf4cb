import { type AgentEvent, type ContentBlock, isCall, type RunEnd } from '../../events/index.ts'
import { errorAnswer, fromResultBlock, toResultBlock } from '../../tools/index.ts'
import {
  type AgentState,
  appendMessage,
  decisionOn,
  findResult,
  messagesOfRun,
  openCalls,
  openChildren,
  totalsOf,
  withChild,
} from '../state/index.ts'
import { toDecisionStatus } from '../calls/report-answers.ts'
import { toToolResult } from '../run.ts'

/** A state without pending calls, and the events to emit for it. */
interface Closing {
  readonly state: AgentState
  readonly events: readonly AgentEvent[]
}

/** Ends the waiting sub-agents of an agent and answers its open calls, with the stored answers or else with `reason`. */
export function closeCalls(prior: AgentState, reason: string): Closing {
  let state = prior
  const events: AgentEvent[] = []
  for (const { child } of openChildren(prior)) {
    const closing = closeChild(child, reason)
    state = withChild(state, closing.state)
    events.push(...closing.events)
  }
  const closed = closeTurn(state, reason)
  return { state: closed, events: [...events, ...lateResults(prior, closed)] }
}

/** Ends a sub-agent that waits or was interrupted; an ended one stays unchanged. */
export function closeChild(child: AgentState, reason: string): Closing {
  if (hasEnded(child)) return { state: child, events: [] }
  const { unsent = [], ...prior } = child
  const { state, events } = closeCalls(prior, reason)
  const ended: AgentState = { ...state, ended: 'aborted' }
  return { state: ended, events: [...unsent, ...events, toRunEnd(ended, 'aborted')] }
}

/** Checks whether a run is over, not just paused. */
export function hasEnded({ ended, pause }: AgentState): boolean {
  return ended !== undefined && pause === undefined
}

/** Creates the event for the end of an agent's run. */
export function toRunEnd(state: AgentState, stopReason: string): RunEnd {
  const { agent, steps } = state
  const messages = messagesOfRun(state)
  return { type: 'run_end', agent, stopReason, steps, ...totalsOf(state), messages }
}

/** Returns events for the decisions and results that were not emitted, so that no call is shown without them. */
function lateResults({ turn }: AgentState, { agent, messages }: AgentState): AgentEvent[] {
  return openCalls(turn).flatMap((call) => {
    const block = findResult(messages.slice(-1), call.id)
    if (block === undefined) return []
    const isReported = turn?.decided?.includes(call.id) === true
    const decision = turn && !isReported ? decisionOn(turn, call.id) : undefined
    return [
      ...(decision ? [toDecisionStatus({ ...call, agent }, decision)] : []),
      toToolResult(agent, call, fromResultBlock(block)),
    ]
  })
}

/**
 * Appends the results of the last message's calls, in their order. A call without an answer gets an error with the text `missing`, so
 * that the conversation stays valid.
 */
export function closeTurn(state: AgentState, missing: string): AgentState {
  const { turn, pause: _, ...rest } = state
  const decisions = turn?.decisions && { ...state.decisions, ...turn.decisions }
  const ready = new Map(
    [...(turn?.answers ?? []), ...(turn?.results ?? [])].map((block) => [
      block['tool_use_id'],
      block,
    ]),
  )
  const results = lastCalls(state).map(
    ({ id = '' }) => ready.get(id) ?? toResultBlock(String(id), errorAnswer(missing)),
  )
  const messages = appendMessage(state.messages, 'user', results)
  return { ...rest, messages, ...(decisions && { decisions }) }
}

function lastCalls({ messages }: AgentState): readonly ContentBlock[] {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.content.filter(isCall) : []
}
