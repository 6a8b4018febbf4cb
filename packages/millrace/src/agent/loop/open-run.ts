import { badRequest, MillraceError } from '../../errors/index.ts'
import type { AgentEvent, Prompt, Rollback } from '../../events/index.ts'
import type { RunStart, UnsettledAgent } from '../port/index.ts'
import type { RunControl } from '../run-control.ts'
import { withVoidCalls } from '../calls/call-ids.ts'
import {
  agentsIn,
  type AgentState,
  findFirst,
  readState,
  type ReadState,
  StateWriter,
  StoredCheckpoint,
} from '../state/index.ts'
import type { Checkpoint, RunInput } from '../agent.ts'
import { answerPause, type PauseAnswer } from '../calls/answer-pause.ts'
import { checkState } from '../check-agent-options.ts'
import { closeCalls } from '../subagents/close-agent.ts'
import { recoverRun } from './recover-run.ts'
import { type AgentSettings, checkpoint, type Next } from '../run.ts'
import { openNewRun } from './open-new-run.ts'

const INTERRUPTED = 'The server stopped during this step; the step is repeated.'
const STOPPED = 'The user stopped the run; this call was not answered.'

/** The start of a run: its state, its first events, and the entry point of the loop. */
export interface RunOpening {
  readonly state: AgentState
  readonly events: readonly (AgentEvent | Checkpoint)[]
  readonly next: Next
  /** The stop reason of a run that ends at once. */
  readonly stopReason?: string
  readonly prompt?: Prompt
  /** Calls that may have been running when the process died. They run again only if their tool is idempotent. */
  readonly lost?: readonly string[]
  /** The id of a waiting sub-agent to end. */
  readonly stopping?: string
}

/** Chooses the start of a run; throws errors of the caller before any event. */
export function openRun(settings: AgentSettings, input: RunInput, now?: number): RunOpening {
  const { state, prompt, results, decisions, stop } = input
  if (state !== undefined) checkState(state)
  const isAnswer = results !== undefined || decisions !== undefined
  if (prompt !== undefined && (isAnswer || stop !== undefined)) {
    throw badRequest('A prompt cannot be combined with answers or a stop; send one of them.')
  }
  if (prompt !== undefined) return openNewRun(settings, input, prompt)
  if (state === undefined) {
    throw badRequest('A run needs a prompt, or a state to continue.')
  }
  if (stop === true || stop === state.agent) return stopPaused(state)
  if (stop !== undefined) return stopChild(state, stop)
  return isAnswer || state.pause !== undefined
    ? resumeWith(answerPause(state, input, now))
    : recoverRun(state)
}

/**
 * Resumes a paused run: works on its open turn again, with the answers. A run that died while it was pausing does the same and pauses
 * again.
 */
function resumeWith({ state, complete }: PauseAnswer): RunOpening {
  const { pause, ended, ...rest } = state
  // Stored before any tool runs: after a crash, approved calls may have been running.
  const opening: RunOpening = { state: rest, events: [checkpoint(rest)], next: 'tools' }
  if (pause !== undefined && (complete || ended === undefined)) return opening
  if (complete) return recoverRun(state)
  throw new MillraceError(
    'conflict',
    pause === undefined
      ? 'The run is not paused; there is nothing to resume.'
      : 'Some calls have no answer yet; store these answers with `answerPause` and resume when all calls are answered.',
  )
}

function stopChild(prior: AgentState, agent: string): RunOpening {
  const { pause, ended: _, ...state } = prior
  const isThere = agentsIn(prior).some((one) => one.agent === agent)
  if (pause === undefined || !isThere)
    throw new MillraceError('not_found', `No agent ${agent} waits in this run.`)
  return { state, events: [checkpoint(state)], next: 'tools', stopping: agent }
}

/** Ends a paused run: its calls get error results, which are emitted. */
function stopPaused(prior: AgentState): RunOpening {
  const closing = closeCalls(prior, STOPPED)
  const { ended: _, unsent: before = [], ...closed } = closing.state
  const unsent = [...before, ...closing.events]
  const state = {
    ...closed,
    stopReason: 'aborted',
    ...(unsent.length > 0 && { unsent }),
  }
  return { state, events: [], next: 'end', stopReason: 'aborted' }
}

/** The start of a run from a stored state, with the writer of its next states. */
interface StoredOpening extends RunOpening {
  readonly writer: StateWriter
}

/** Reads a stored state and opens a run from it. Steps that a crash interrupted are rolled back first. */
export async function openStored(
  settings: AgentSettings,
  start: RunStart,
  { control, now }: { readonly control: RunControl; readonly now: number | undefined },
): Promise<StoredOpening> {
  const { agent, stored, prompt, stop, unsettled = [] } = start
  const { state, writer = new StateWriter(stored.blocks) } = (await read(start)) ?? {}
  // A stopped pause is closed in its state. An active run is stopped as it continues.
  const isStopped = stop === true && (prompt !== undefined || state?.pause === undefined)
  if (isStopped) control.stop()
  const input = {
    ...(state === undefined ? { agent } : { state: unsettled.reduce(withShownCalls, state) }),
    ...(prompt !== undefined && { prompt }),
    ...(stop !== undefined && !isStopped && { stop }),
  }
  const opening = openRun(settings, input, now)
  const rollbacks = unsettled.filter(({ isShown }) => isShown).map((one) => toRollback(one, state))
  return { ...opening, events: [...rollbacks, ...opening.events], writer }
}

function read({
  stored,
  from,
  needsHistory = false,
}: RunStart): Promise<ReadState | undefined> | ReadState {
  return from instanceof StoredCheckpoint && !needsHistory
    ? from
    : readState(stored, { isForModel: !needsHistory })
}

/** Reserves the ids of calls that were shown after the last state, so that no other agent takes them. [CALL-1] */
function withShownCalls(state: AgentState, { agent, calls }: UnsettledAgent): AgentState {
  return withVoidCalls(state, agent, calls)
}

function toRollback({ agent }: UnsettledAgent, state: AgentState | undefined): Rollback {
  const steps = state && findFirst(state, (one) => (one.agent === agent ? one.steps : undefined))
  return { type: 'rollback', agent, step: (steps ?? 0) + 1, attempt: 2, reason: INTERRUPTED }
}
