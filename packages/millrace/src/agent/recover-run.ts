import type { AgentEvent, AwaitedCall } from '../events/index.ts'
import { errorAnswer } from '../tools/index.ts'
import type { AgentState } from './agent-state.ts'
import type { Checkpoint } from './agent.ts'
import { closeTurn } from './close-turn.ts'
import { addResult } from './deed.ts'
import { openCalls } from './open-calls.ts'
import type { Opening } from './open-run.ts'
import { type AgentSettings, checkpoint, type Next, toToolResult } from './run.ts'
import { nextAfter, STEERED } from './stop-reason.ts'
import { decisionOn } from './turn-answers.ts'

const OUTCOME_UNKNOWN =
  'The server stopped while this tool was running; its outcome is unknown. Check before you call it again.'

/**
 * Goes on from a state that was stored in the middle of a run. A finished step is not repeated; a tool that
 * may have been running is called again only if it says that this does no harm.
 */
export function recoverRun(settings: AgentSettings, state: AgentState): Opening {
  const { turn, ended } = state
  if (ended !== undefined) return { state, events: [], next: 'end', stopReason: ended }
  if (turn === undefined) return { state, events: [], next: nextOf(state) }
  const runsTools = nextAfter(state.stopReason) === 'tools'
  const lost = openCalls(turn).filter((call) => !runsTools || isUnsafe(settings, state, call))
  const { state: told, events } = answerLost(state, lost)
  if (runsTools) return { state: told, events, next: 'tools' }
  const closed = closeTurn(told, OUTCOME_UNKNOWN)
  return { state: closed, events, next: nextOf(closed) }
}

/** Where a run without open calls was to go next. */
function nextOf({ messages, stopReason }: AgentState): Next {
  const last = messages.at(-1)
  const next = nextAfter(stopReason)
  // A message that asks for tools and calls none ends the run.
  if (last?.role === 'assistant') return next === 'model' ? 'model' : 'end'
  const isClosing = last?.content.every(({ type }) => type === 'tool_result') === true
  const isOver = stopReason !== undefined && stopReason !== STEERED && next === 'end'
  const isBroken = stopReason === 'aborted' || stopReason === 'error'
  return isBroken || (isClosing && isOver) ? 'end' : 'model'
}

/** Whether a call may have been running: one that waited for a person's word, or was refused, was not. */
function isUnsafe(
  { toolbox }: AgentSettings,
  { turn }: AgentState,
  { id, name }: AwaitedCall,
): boolean {
  const tool = toolbox.find(name)
  const decision = turn && decisionOn(turn, id)
  const isHeld = turn?.asked?.includes(id) === true && decision?.outcome !== 'approved'
  return tool?.kind === 'backend' && !tool.idempotent && !isHeld
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
