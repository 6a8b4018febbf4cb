import type { AgentEvent, AwaitedCall } from '../events/index.ts'
import { errorAnswer, toResultBlock } from '../tools/index.ts'
import type { AgentState, OpenTurn } from './agent-state.ts'
import type { Checkpoint } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { openCalls } from './open-calls.ts'
import type { Opening } from './open-run.ts'
import { type AgentSettings, checkpoint, toToolResult } from './run.ts'
import { nextAfter } from './stop-reason.ts'

const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running; its outcome is unknown. Check before you call it again.'

/**
 * Goes on from a state that was stored in the middle of a run. A finished step is not repeated; a tool that
 * may have been running is called again only if it says that this does no harm.
 */
export function recoverRun(settings: AgentSettings, state: AgentState): Opening {
  const next = nextAfter(state.stopReason)
  if (state.turn === undefined) {
    const isAnswered = state.messages.at(-1)?.role === 'assistant'
    return { state, events: [], next: isAnswered ? next : 'model' }
  }
  const lost = openCalls(state.turn).filter((call) => next !== 'tools' || isUnsafe(settings, call))
  const { state: told, events } = answerLost(state, state.turn, lost)
  return next === 'tools' ? { state: told, events, next } : { state: closeTurn(told), events, next }
}

function isUnsafe({ toolbox }: AgentSettings, call: AwaitedCall): boolean {
  const tool = toolbox.find(call.name)
  return tool?.kind === 'backend' && !tool.idempotent
}

function answerLost(state: AgentState, turn: OpenTurn, lost: readonly AwaitedCall[]) {
  const events: (AgentEvent | Checkpoint)[] = []
  const answer = errorAnswer(OUTCOME_UNKNOWN)
  let { results } = turn
  for (const call of lost) {
    results = [...results, toResultBlock(call.id, answer)]
    events.push(checkpoint({ ...state, turn: { ...turn, results } }))
    events.push(toToolResult(state.agent, call, answer))
  }
  return { state: { ...state, turn: { ...turn, results } }, events }
}
