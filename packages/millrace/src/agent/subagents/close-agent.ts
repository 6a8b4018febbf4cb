import type { AgentEvent, RunEnd } from '../../events/index.ts'
import { fromResultBlock } from '../../tools/index.ts'
import {
  type AgentState,
  findResult,
  openCalls,
  openChildren,
  totalsOf,
  withChild,
} from '../state/index.ts'
import { closeTurn } from '../calls/close-turn.ts'
import { toToolResult } from '../run.ts'

/** A state in which nothing waits any more, and what is to be told of that. */
export interface Closing {
  readonly state: AgentState
  readonly events: readonly AgentEvent[]
}

/** Ends what waits beneath an agent and answers its own open calls, with what came or else with `reason`. */
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

/** Ends a sub-agent that waits, or that was left behind; one that has ended stays as it is. */
export function closeChild(child: AgentState, reason: string): Closing {
  if (hasEnded(child)) return { state: child, events: [] }
  const { untold = [], ...prior } = child
  const { state, events } = closeCalls(prior, reason)
  const ended: AgentState = { ...state, ended: 'aborted' }
  return { state: ended, events: [...untold, ...events, toRunEnd(ended, 'aborted')] }
}

/** Tells whether a run is over, and not merely paused. */
export function hasEnded({ ended, pause }: AgentState): boolean {
  return ended !== undefined && pause === undefined
}

/** The event that ends a run. */
export function toRunEnd(state: AgentState, stopReason: string): RunEnd {
  const { agent, messages, runStart, steps } = state
  const said = messages.slice(runStart)
  return { type: 'run_end', agent, stopReason, steps, ...totalsOf(state), messages: said }
}

/** The results that the stream has not told yet, so that no call is seen without one. */
function lateResults(prior: AgentState, { agent, messages }: AgentState): AgentEvent[] {
  return openCalls(prior.turn).flatMap((call) => {
    const block = findResult(messages.slice(-1), call.id)
    return block === undefined ? [] : [toToolResult(agent, call, fromResultBlock(block))]
  })
}
