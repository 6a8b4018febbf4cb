import type { RecoveryMode } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { launch } from '../runs/launch.ts'
import { loadSession, sessionMissing } from '../sessions/load-session.ts'
import { readGeneratedFiles } from '../runs/stored-run.ts'
import { openRecorder } from '../runs/run-recorder.ts'
import { type LogRepair, repairLog, writeRollbacks } from './repair-log.ts'
import {
  findAgent,
  withRunSlot,
  isRunning,
  openKnown,
  type RunServices,
} from '../runs/run-services.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import type { StoredSession } from '../sessions/session-record.ts'

/**
 * Continues a run whose process died or handed it off: closes its open blocks in the log and repeats the interrupted step. False if there
 * is no run to continue or it cannot continue. Throws `lease_lost` if another server was faster. Requires the session's lock.
 */
export async function recover(services: RunServices, known: SessionInfo): Promise<boolean> {
  const { session } = known
  return withRunSlot(services, session, async () => {
    const info = await openKnown(services, session, known)
    if (isRunning(info)) return continueRun(services, info)
    const { epoch, tail } = info
    await services.store.append({ session, epoch, tail, lines: [], lease: 'release' })
    return false
  })
}

/** Continues the run of a session that this server has opened, or ends it; false if it was ended. */
export async function continueRun(services: RunServices, info: SessionInfo): Promise<boolean> {
  const { session } = info
  const loaded = await loadSession(services.store, info)
  if (loaded === undefined) throw sessionMissing(session)
  const { stored, writer: record } = loaded
  const repair = await repairLog(services.store, info, stored)
  const agent = findAgent(services.agents, stored)
  const recovery = agent && (agent.recovery ?? 'rerun')
  const fault = repair.hasFailed ? 'reported' : findFault(recovery, stored, record.hasState())
  if (fault !== undefined) {
    await endLost(services, { info, stored, record, repair, fault })
    return false
  }
  const { closing, unsettled } = repair
  const start =
    recovery === 'continue'
      ? { repair: closing, unsettled }
      : { repair: [...closing, ...writeRollbacks(unsettled)] }
  await launch(services, { info, stored, record, ...start })
  return true
}

/** Returns the reason why a run cannot continue; `stopped` if it was stopped. */
function findFault(
  recovery: RecoveryMode | undefined,
  { agentType, question, stop }: StoredSession,
  hasState: boolean,
): MillraceError | 'stopped' | undefined {
  if (recovery === undefined) {
    return new MillraceError(
      'unsupported',
      `The server stopped during this run, and its agent ${agentType} is no longer offered; start a new session.`,
    )
  }
  if (stop === true && recovery !== 'continue') return 'stopped'
  if (recovery === 'end') {
    return new MillraceError(
      'internal',
      `The server stopped during this run, and its agent ${agentType} cannot continue it; send the prompt again.`,
    )
  }
  if (hasState || question !== undefined) return undefined
  return new MillraceError(
    'internal',
    'The server stopped before it stored this run; send the prompt again.',
  )
}

interface LostRun {
  readonly info: SessionInfo
  readonly stored: StoredSession
  readonly record: RecordWriter
  readonly repair: LogRepair
  /** Why it cannot continue; `reported` if its stream has the error already. */
  readonly fault: MillraceError | 'reported' | 'stopped'
}

/** Ends a run that cannot continue, with an error unless the stream has one already. */
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
