import type { AgentEvent, AwaitedCall } from '../events/index.ts'
import { errorAnswer } from '../tools/index.ts'
import type { AgentState } from './agent-state.ts'
import type { Checkpoint } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { addResult } from './deed.ts'
import { openCalls } from './open-calls.ts'
import type { Opening } from './open-run.ts'
import { type AgentSettings, checkpoint, toToolResult } from './run.ts'
import { nextAfter } from './stop-reason.ts'
import { decisionOn } from './turn-answers.ts'

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
  const lost = openCalls(state.turn).filter(
    (call) => next !== 'tools' || isUnsafe(settings, state, call),
  )
  const { state: told, events } = answerLost(state, lost)
  return next === 'tools' ? { state: told, events, next } : { state: closeTurn(told), events, next }
}

/** Whether a call may have been running: one that waited for a person's word was not. */
function isUnsafe(
  { toolbox }: AgentSettings,
  { turn, announced = [] }: AgentState,
  { id, name }: AwaitedCall,
): boolean {
  const tool = toolbox.find(name)
  const isUndecided = announced.includes(id) && turn !== undefined && !decisionOn(turn, id)
  return tool?.kind === 'backend' && !tool.idempotent && !isUndecided
}

function answerLost(state: AgentState, lost: readonly AwaitedCall[]) {
  const events: (AgentEvent | Checkpoint)[] = []
  const answer = errorAnswer(OUTCOME_UNKNOWN)
  let told = state
  for (const call of lost) {
    told = addResult(told, call, answer)
    events.push(checkpoint(told), toToolResult(state.agent, call, answer))
  }
  return { state: told, events }
}
