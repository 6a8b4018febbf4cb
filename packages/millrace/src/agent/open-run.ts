import { MillraceError } from '../errors/index.ts'
import type { AgentEvent } from '../events/index.ts'
import type { AgentState } from './agent-state.ts'
import type { Checkpoint, RunInput } from './agent.ts'
import { answerPause } from './answer-pause.ts'
import { recoverRun } from './recover-run.ts'
import { resumeRun } from './resume-run.ts'
import type { AgentSettings, Next } from './run.ts'
import { startRun } from './start-run.ts'

/** How a run begins: from which state, with which events, and where the loop enters. */
export interface Opening {
  readonly state: AgentState
  readonly events: readonly (AgentEvent | Checkpoint)[]
  readonly next: Next
}

/** Finds out what a run is to do first; throws what the caller did wrong before anything has happened. */
export function openRun(settings: AgentSettings, input: RunInput): Opening {
  const { state, prompt, results } = input
  if (prompt !== undefined && results !== undefined) {
    throw new MillraceError('bad_request', 'Give a prompt or results, not both.')
  }
  if (prompt !== undefined) return startRun(settings, input, prompt)
  if (state === undefined) {
    throw new MillraceError('bad_request', 'A run needs a prompt, or a state to go on from.')
  }
  return results === undefined && state.pause === undefined
    ? recoverRun(settings, state)
    : goOnWith(answerPause(state, results ?? []))
}

function goOnWith({ state, complete }: { state: AgentState; complete: boolean }): Opening {
  if (complete && state.pause !== undefined) return resumeRun(state, state.pause)
  throw new MillraceError(
    'conflict',
    state.pause === undefined
      ? 'The run is not paused; there is nothing to go on with.'
      : 'Not every call has its result yet; keep these with `answerPause` and go on when all are there.',
  )
}
