import { totalsOf } from '../../agent/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { noUsage, type RunEnd } from '../../events/index.ts'
import type { SessionInfo } from '../../store/index.ts'
import { launch } from '../launch.ts'
import { openRecorder } from '../open-recorder.ts'
import { type LogRepair, repairLog } from './repair-log.ts'
import {
  inPlace,
  isRunning,
  openKnown,
  type RunContext,
  sessionMissing,
  toStoredSession,
} from '../run-context.ts'
import type { StoredSession } from '../session-record.ts'

/**
 * Carries on a run whose process has died or handed it over: what it left open in the log is closed, a step that was
 * cut is made again. False if there is nothing to carry on, or nobody can. Throws `lease_lost` if another server was
 * faster. Needs the session's lock.
 */
export async function recover(context: RunContext, known: SessionInfo): Promise<boolean> {
  const { session } = known
  return inPlace(context, session, async () => {
    const info = await openKnown(context, session, known)
    if (isRunning(info)) return carryOn(context, info)
    const { epoch, tail } = info
    await context.store.append({ session, epoch, tail, lines: [], lease: 'release' })
    return false
  })
}

/** Carries on the run of a session that this server has opened, or ends it; false if it was ended. */
export async function carryOn(context: RunContext, info: SessionInfo): Promise<boolean> {
  const { session } = info
  const stored = toStoredSession(info)
  if (stored === undefined) throw sessionMissing(session)
  const { state, question, stop } = stored
  const repair = await repairLog(context.store, info, stored)
  const fault = repair.hasFailed ? 'told' : findFault(context, stored)
  if (fault !== undefined) {
    await endLost(context, { info, stored, repair, fault })
    return false
  }
  const from = state === undefined ? { agent: session } : { state }
  const asked = {
    ...(question !== undefined && { prompt: question }),
    ...(stop !== undefined && { stop }),
  }
  await launch(context, { info, stored, repair: repair.lines, input: { ...from, ...asked } })
  return true
}

/** Why nobody can carry on a run, if that is so. */
function findFault(
  { agents }: RunContext,
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
  readonly repair: LogRepair
  /** Why it cannot go on; `told` if its stream says so already. */
  readonly fault: MillraceError | 'told'
}

/** Ends a run that nobody can carry on: its readers are told why, unless they have been. */
async function endLost(
  context: RunContext,
  { info: { session, epoch, tail }, stored, repair, fault }: LostRun,
): Promise<void> {
  const { log, recorder } = openRecorder(context, { session, epoch, tail, stored })
  await log.push(repair.closing)
  if (fault === 'told') await recorder.write(toEnd(session, stored))
  else await recorder.fail(fault, 'error')
  await log.flush()
}

function toEnd(agent: string, { state }: StoredSession): RunEnd {
  const spent = state === undefined ? { usage: noUsage } : totalsOf(state)
  const { steps = 0 } = state ?? {}
  return { type: 'run_end', agent, stopReason: 'error', steps, ...spent, messages: [], files: [] }
}
