import { isFailureReason } from '../../events/index.ts'
import { type AgentState, openCalls } from '../state/index.ts'
import { closeCalls } from '../subagents/close-agent.ts'
import type { RunOpening } from './open-run.ts'
import type { Next } from '../run.ts'
import { nextAfter, STEERED } from './end-run.ts'

const NOT_RUN = 'The tool was not run; the server stopped first.'

/**
 * Continues from a state that was stored during a run. A finished step is not repeated; a tool that may have been running is called again
 * only if it is idempotent.
 */
export function recoverRun(state: AgentState): RunOpening {
  const { turn, ended } = state
  if (ended !== undefined) return { state, events: [], next: 'end', stopReason: ended }
  if (turn === undefined) return { state, events: [], next: nextOf(state) }
  if (nextAfter(state.stopReason) === 'tools') {
    return { state, events: [], next: 'tools', lost: openCalls(turn).map(({ id }) => id) }
  }
  const closing = closeCalls(state, NOT_RUN)
  const unsent = [...(state.unsent ?? []), ...closing.events]
  return {
    state: { ...closing.state, unsent },
    events: [],
    next: nextOf(closing.state),
  }
}

/** Returns the next move of a run without open calls. */
function nextOf({ messages, stopReason }: AgentState): Next {
  const last = messages.at(-1)
  const next = nextAfter(stopReason)
  // A message that stopped for tools without a call ends the run.
  if (last?.role === 'assistant') return next === 'model' ? 'model' : 'end'
  const isClosing = last?.content.every(({ type }) => type === 'tool_result') === true
  const isOver = stopReason !== undefined && stopReason !== STEERED && next === 'end'
  const isBroken = isFailureReason(stopReason)
  return isBroken || (isClosing && isOver) ? 'end' : 'model'
}
