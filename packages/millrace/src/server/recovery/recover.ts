import { abilitiesOf, type AgentAbilities } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { launch } from '../runs/launch.ts'
import { loadSession } from '../sessions/load-session.ts'
import { readGeneratedFiles } from '../sessions/generated-files.ts'
import { openRecorder } from '../runs/open-recorder.ts'
import { type LogRepair, repairLog, writeRollbacks } from './repair-log.ts'
import {
  withRunSlot,
  isRunning,
  openKnown,
  type RunServices,
  sessionMissing,
} from '../runs/run-services.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import type { StoredSession } from '../sessions/session-record.ts'

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
  const repair = await repairLog(services.store, info, stored)
  const agent = services.agents[stored.agentType]
  const recovers = agent && abilitiesOf(agent).recover
  const fault = repair.hasFailed ? 'told' : findFault(recovers, stored, record.hasState())
  if (fault !== undefined) {
    await endLost(services, { info, stored, record, repair, fault })
    return false
  }
  const { closing, unsettled } = repair
  const start =
    recovers === 'continue'
      ? { repair: closing, unsettled }
      : { repair: [...closing, ...writeRollbacks(unsettled)] }
  await launch(services, { info, stored, record, ...start })
  return true
}

/** Why a run cannot be carried on; `stopped` if it only has to end. */
function findFault(
  recovers: AgentAbilities['recover'] | undefined,
  { agentType, question, stop }: StoredSession,
  hasState: boolean,
): MillraceError | 'stopped' | undefined {
  if (recovers === undefined) {
    return new MillraceError(
      'unsupported',
      `The server stopped during this run, and its agent ${agentType} is not offered any more; start a new session.`,
    )
  }
  if (stop === true && recovers !== 'continue') return 'stopped'
  if (recovers === 'end') {
    return new MillraceError(
      'internal',
      `The server stopped during this run, and its agent ${agentType} cannot continue it; ask again.`,
    )
  }
  if (hasState || question !== undefined) return undefined
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
  readonly fault: MillraceError | 'told' | 'stopped'
}

/** Ends a run that nobody can carry on: its readers are told why, unless they have been. */
async function endLost(
  services: RunServices,
  { info, stored, record, repair, fault }: LostRun,
): Promise<void> {
  const { session, log: logId, epoch, tail } = info
  const { runFirst = 1, run } = stored
  const { log, recorder, outbox } = openRecorder(services, {
    session,
    log: logId,
    epoch,
    tail,
    stored,
    record,
  })
  await log.push(repair.closing)
  const files = await readGeneratedFiles(services.store, info, runFirst - 1)
  const error = typeof fault === 'string' ? undefined : fault
  await recorder.fail(error, fault === 'stopped' ? 'aborted' : 'error', { ...run, files })
  await log.flush()
  outbox.publish()
}
