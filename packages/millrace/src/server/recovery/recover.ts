import { type AgentState, totalsOf, withVoidCalls } from '../../agent/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { noUsage, type RunEnd } from '../../events/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { launch } from '../runs/launch.ts'
import { loadSession } from '../sessions/load-session.ts'
import { openRecorder } from '../runs/open-recorder.ts'
import { type LogRepair, repairLog } from './repair-log.ts'
import {
  withRunSlot,
  isRunning,
  openKnown,
  type RunServices,
  sessionMissing,
} from '../runs/run-services.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import { rootAgentOf, type StoredSession } from '../sessions/session-record.ts'

/**
 * Carries on a run whose process has died or handed it over: what it left open in the log is closed, a step that was
 * cut is made again. False if there is nothing to carry on, or nobody can. Throws `lease_lost` if another server was
 * faster. Needs the session's lock.
 */
export async function recover(services: RunServices, known: SessionInfo): Promise<boolean> {
  const { session } = known
  return withRunSlot(services, session, async () => {
    const info = await openKnown(services, session, known)
    if (isRunning(info)) return carryOn(services, info)
    const { epoch, tail } = info
    await services.store.append({ session, epoch, tail, lines: [], lease: 'release' })
    return false
  })
}

/** Carries on the run of a session that this server has opened, or ends it; false if it was ended. */
export async function carryOn(services: RunServices, info: SessionInfo): Promise<boolean> {
  const { session } = info
  const loaded = await loadSession(services.store, info)
  if (loaded === undefined) throw sessionMissing(session)
  const { stored, writer: record } = loaded
  const { state, question, stop } = stored
  const repair = await repairLog(services.store, info, stored)
  const fault = repair.hasFailed ? 'told' : findFault(services, stored)
  if (fault !== undefined) {
    await endLost(services, { info, stored, record, repair, fault })
    return false
  }
  const root = rootAgentOf(session, stored)
  const from = state === undefined ? { agent: root } : { state: keepCallIds(state, repair) }
  // A run that waits is closed by its state; one that was at work is stopped as it goes on.
  const isStopped = stop === true && state?.pause === undefined
  const asked = {
    ...(question !== undefined && { prompt: question }),
    ...(stop !== undefined && !isStopped && { stop }),
  }
  const input = { ...from, ...asked }
  await launch(services, { info, stored, record, repair: repair.lines, input, isStopped })
  return true
}

/** Why nobody can carry on a run, if that is so. */
function findFault(
  { agents }: RunServices,
  { agentType, state, question }: StoredSession,
): MillraceError | undefined {
  if (!Object.hasOwn(agents, agentType)) {
    return new MillraceError(
      'unsupported',
      `The server stopped during this run, and its agent ${agentType} is not offered any more; start a new session.`,
    )
  }
  if (state !== undefined || question !== undefined) return undefined
  return new MillraceError(
    'internal',
    'The server stopped before anything of this run was stored; ask again.',
  )
}

interface LostRun {
  readonly info: SessionInfo
  readonly stored: StoredSession
  readonly record: RecordWriter
  readonly repair: LogRepair
  /** Why it cannot go on; `told` if its stream says so already. */
  readonly fault: MillraceError | 'told'
}

/** Ends a run that nobody can carry on: its readers are told why, unless they have been. */
async function endLost(
  services: RunServices,
  { info: { session, log: logId, epoch, tail }, stored, record, repair, fault }: LostRun,
): Promise<void> {
  const { log, recorder, outbox } = openRecorder(services, {
    session,
    log: logId,
    epoch,
    tail,
    stored,
    record,
  })
  await log.push(repair.closing)
  if (fault === 'told') await recorder.write(toEnd(rootAgentOf(session, stored), stored))
  else await recorder.fail(fault, 'error')
  await log.flush()
  outbox.publish()
}

function toEnd(agent: string, { state }: StoredSession): RunEnd {
  const spent = state === undefined ? { usage: noUsage, files: [] } : totalsOf(state)
  const { steps = 0 } = state ?? {}
  return {
    type: 'run_end',
    agent: state?.agent ?? agent,
    stopReason: 'error',
    steps,
    ...spent,
    messages: [],
  }
}

/** Keeps the ids of calls that were shown after the last state: no other agent may take them. [CALL-1] */
function keepCallIds(state: AgentState, { callIds }: LogRepair): AgentState {
  return [...callIds].reduce((kept, [agent, ids]) => withVoidCalls(kept, agent, ids), state)
}
