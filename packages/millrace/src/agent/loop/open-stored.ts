import type { StepRollback } from '../../events/index.ts'
import { withVoidCalls } from '../calls/call-ids.ts'
import type { RunStart, UnsettledAgent } from '../port/index.ts'
import type { RunControl } from '../run-control.ts'
import type { AgentSettings } from '../run.ts'
import {
  type AgentState,
  findFirst,
  readState,
  type ReadState,
  StateWriter,
  StoredCheckpoint,
} from '../state/index.ts'
import { type RunOpening, openRun } from './open-run.ts'

const REASON = 'The server stopped in the middle of this step; it is made again.'

/** The opening of a run from a stored state, with the writer of its next states. */
export interface StoredOpening extends RunOpening {
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
  // A pause is closed by its state. A run at work is stopped as it continues.
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

function read({ stored, from }: RunStart): Promise<ReadState | undefined> | ReadState {
  return from instanceof StoredCheckpoint ? from : readState(stored)
}

/** Keeps the ids of calls that were shown after the last state: no other agent may take them. [CALL-1] */
function withShownCalls(state: AgentState, { agent, calls }: UnsettledAgent): AgentState {
  return withVoidCalls(state, agent, calls)
}

function toRollback({ agent }: UnsettledAgent, state: AgentState | undefined): StepRollback {
  const steps = state && findFirst(state, (one) => (one.agent === agent ? one.steps : undefined))
  return { type: 'step_rollback', agent, step: (steps ?? 0) + 1, attempt: 2, reason: REASON }
}
