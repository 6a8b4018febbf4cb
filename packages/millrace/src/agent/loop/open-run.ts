import { badRequest, MillraceError } from '../../errors/index.ts'
import { type AgentEvent, type Prompt, type Rollback, noCost, noUsage } from '../../events/index.ts'
import type { RunStart, UnsettledAgent } from '../port/index.ts'
import type { RunControl } from '../run-control.ts'
import { withVoidCalls, shownCallIdsIn } from '../calls/call-ids.ts'
import {
  agentsIn,
  type AgentState,
  findFirst,
  readState,
  type ReadState,
  StateWriter,
  StoredCheckpoint,
  type Parent,
  addTotals,
  appendMessage,
  settleLastAnswer,
  skippedCount,
  totalsOf,
} from '../state/index.ts'
import type { Checkpoint, RunInput } from '../agent.ts'
import { answerPause, type PauseAnswer } from '../calls/answer-pause.ts'
import { checkState } from '../check-agent-options.ts'
import { closeCalls } from '../subagents/close-agent.ts'
import { recoverRun } from './recover-run.ts'
import { type AgentSettings, checkpoint, type Next } from '../run.ts'
import { toPromptContent } from '../prompt-content.ts'

const INTERRUPTED = 'The server stopped during this step; the step is repeated.'
const STOPPED = 'The user stopped the run; this call was not answered.'

/** The start of a run: its state, its first events, and the entry point of the loop. */
export interface RunOpening {
  readonly state: AgentState
  readonly events: readonly (AgentEvent | Checkpoint)[]
  readonly next: Next
  /** The stop reason of a run that ends at once. */
  readonly stopReason?: string
  /** The prompt of a new run. */
  readonly prompt?: Prompt
  /** Calls that may have been running when the process died, and must not run again. */
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
    ? resumeWith(settings, answerPause(state, input, now))
    : recoverRun(settings, state)
}

/**
 * Resumes a paused run: works on its open turn again, with the answers. A run that died while it was pausing does the same and pauses
 * again.
 */
function resumeWith(settings: AgentSettings, { state, complete }: PauseAnswer): RunOpening {
  const { pause, ended, ...rest } = state
  // Stored before any tool runs: after a crash, approved calls may have been running.
  const opening: RunOpening = { state: rest, events: [checkpoint(rest)], next: 'tools' }
  if (pause !== undefined && (complete || ended === undefined)) return opening
  if (complete) return recoverRun(settings, state)
  throw new MillraceError(
    'conflict',
    pause === undefined
      ? 'The run is not paused; there is nothing to resume.'
      : 'Some calls have no answer yet; store these answers with `answerPause` and resume when all calls are answered.',
  )
}

/** Resumes a paused run to end one of its sub-agents. */
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

const LEFT_UNANSWERED = 'The user did not answer this call but wrote a new message.'

/** Decisions of earlier runs that are stored to recognise repeated ones, which arrive soon. */
const KEPT_DECISIONS = 100

/** Starts a run with a prompt; open calls of an earlier run are closed in the same message. */
function openNewRun(settings: AgentSettings, input: RunInput, prompt: Prompt): RunOpening {
  const content = toPromptContent(prompt)
  const prior = input.state ?? emptyState(settings, input.agent ?? settings.createId())
  const settled = { ...prior, messages: settleLastAnswer(prior.messages) }
  const closing = closeCalls(settled, LEFT_UNANSWERED)
  const unsent = [...(prior.unsent ?? []), ...closing.events]
  const messages = appendMessage(closing.state.messages, 'user', content)
  const runStart = skippedCount(prior) + messages.length - 1
  const { parent } = input
  const state: AgentState = {
    ...forgetRun(closing.state, settings),
    ...freshRun,
    ...(parent !== undefined && { parent, ...toEarlier(prior, parent) }),
    ...(unsent.length > 0 && { unsent }),
    runId: settings.createId(),
    messages,
    runStart,
    fileStart: prior.files?.length ?? 0,
  }
  const start: AgentEvent = {
    type: 'run_start',
    agent: state.agent,
    runId: state.runId,
    prompt,
    model: settings.model.id,
    name: settings.name,
    messages,
    ...(parent !== undefined && {
      parentAgent: parent.agent,
      parentToolUseId: parent.toolUseId,
    }),
  }
  return { state, events: [checkpoint(state), start], next: 'model', prompt }
}

/** Returns the earlier totals of a sub-agent that is resumed in the same run of its parent. */
function toEarlier(prior: AgentState, { runId }: Parent): Pick<AgentState, 'earlier'> {
  if (prior.parent?.runId !== runId) return {}
  const spent = totalsOf(prior)
  return { earlier: prior.earlier === undefined ? spent : addTotals(prior.earlier, spent) }
}

/** Drops the data of the previous run and bounds the rest, because every checkpoint contains the whole state. */
function forgetRun(state: AgentState, { maxKeptSubagents }: AgentSettings): AgentState {
  const { ended: _ended, unsent: _unsent, stopReason: _stopReason, earlier: _, ...kept } = state
  const { children, decisions } = kept
  return {
    ...kept,
    ...(children !== undefined && keepNewest(kept, children, maxKeptSubagents)),
    ...(decisions !== undefined && { decisions: newestOf(decisions, KEPT_DECISIONS) }),
  }
}

/** Drops old sub-agents but not the ids of their calls, which stay taken. [CALL-1] */
function keepNewest(
  { unlistedCalls = [] }: AgentState,
  children: Readonly<Record<string, AgentState>>,
  count: number,
): Pick<AgentState, 'children' | 'unlistedCalls'> {
  const kept = newestOf(children, count)
  const forgotten = Object.values(children).filter(({ agent }) => !Object.hasOwn(kept, agent))
  if (forgotten.length === 0) return { children }
  const calls = forgotten.flatMap((child) => [...shownCallIdsIn(child)])
  return { children: kept, unlistedCalls: [...unlistedCalls, ...calls] }
}

/** The fields that a new run resets. */
const freshRun = { steps: 0, usage: noUsage, cost: noCost, checks: 0 }

function emptyState({ name }: AgentSettings, agent: string): AgentState {
  return { agent, name, messages: [], runId: '', runStart: 0, ...freshRun }
}

function newestOf<Member>(
  record: Readonly<Record<string, Member>>,
  count: number,
): Readonly<Record<string, Member>> {
  const members = Object.entries(record)
  return Object.fromEntries(members.slice(Math.max(0, members.length - count)))
}
