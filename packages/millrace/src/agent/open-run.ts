import { MillraceError } from '../errors/index.ts'
import type { AgentEvent } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'
import type { Checkpoint, RunInput } from './agent.ts'
import { answerPause, type PauseAnswer } from './answer-pause.ts'
import { closeTurn } from './close-turn.ts'
import { recoverRun } from './recover-run.ts'
import { type AgentSettings, checkpoint, type Next } from './run.ts'
import { lateResults, startRun } from './start-run.ts'

const STOPPED = 'The user stopped the run; this call was not answered.'

/** How a run begins: from which state, with which events, and where the loop enters. */
export interface Opening {
  readonly state: AgentState
  readonly events: readonly (AgentEvent | Checkpoint)[]
  readonly next: Next
  /** Why the run ends, if it ends at once. */
  readonly stopReason?: string
}

/** Finds out what a run is to do first; throws what the caller did wrong before anything has happened. */
export function openRun(settings: AgentSettings, input: RunInput): Opening {
  const { state, prompt, results, decisions, stop } = input
  const isAnswer = results !== undefined || decisions !== undefined
  if (prompt !== undefined && (isAnswer || stop === true)) {
    throw new MillraceError('bad_request', 'Give a prompt or answers, not both.')
  }
  if (prompt !== undefined) return startRun(settings, input, prompt)
  if (state === undefined) {
    throw new MillraceError('bad_request', 'A run needs a prompt, or a state to go on from.')
  }
  if (stop === true) return stopPaused(state)
  return isAnswer || state.pause !== undefined
    ? goOnWith(answerPause(state, input))
    : recoverRun(settings, state)
}

/** Goes on after a pause: its turn is worked on again, now with answers. */
function goOnWith({ state, complete }: PauseAnswer): Opening {
  const { pause, ...rest } = state
  if (complete) return { state: rest, events: [], next: 'tools' }
  throw new MillraceError(
    'conflict',
    pause === undefined
      ? 'The run is not paused; there is nothing to go on with.'
      : 'Not every call has its answer yet; keep these with `answerPause` and go on when all are there.',
  )
}

/** Ends a run that waits for people: its calls are answered with what happened, and told. */
function stopPaused(prior: AgentState): Opening {
  const state = closeTurn(prior, STOPPED)
  const events = [checkpoint(state), ...lateResults(prior, state)]
  return { state, events, next: 'end', stopReason: 'aborted' }
}
