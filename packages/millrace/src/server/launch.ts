import type { RunInput } from '../agent/index.ts'
import { MillraceError } from '../errors/index.ts'
import type { SessionInfo } from '../store/index.ts'
import { restoreFiles } from './files/prompt-files.ts'
import { fromStore } from './from-store.ts'
import { keepLease } from './recovery/keep-lease.ts'
import { openRecorder } from './open-recorder.ts'
import { startRun } from './run.ts'
import { closing, leaseOf, type Reading, type RunContext } from './run-context.ts'
import { encodeRecord, type StoredSession } from './session-record.ts'
import { carryOnCommand } from './acts/run-command.ts'
import { createRunWatch, type RunWatch } from './watch-run.ts'

/** A run that may start: its session has been opened and nothing else runs there. */
export interface Launch {
  readonly info: SessionInfo
  readonly stored: StoredSession
  readonly input: RunInput
  /** Lines that close what an earlier process left open, stored before the run goes on. */
  readonly repair?: readonly Uint8Array[]
}

/**
 * Stores that a run begins, then starts it; the reading covers it from its first message to its end. The run is
 * known from the first moment on: whoever looks while that is being stored must not take it for one that was lost.
 */
export async function launch(context: RunContext, given: Launch): Promise<Reading> {
  const { store, runs, starting, leaving, titles, abortGraceMs } = context
  const { info, repair = [] } = given
  const { session, epoch } = info
  const input = await fromStore(restoreFiles({ store, session }, given.input))
  const agent = context.agents[given.stored.agentType]
  if (agent === undefined) throw agentMissing(given.stored.agentType)
  // Those who close the server wait for the runs they see, and this one is not to be seen yet.
  if (context.isClosing()) throw closing()
  const tail = info.tail + repair.length
  const stored = toLaunched(given.stored, tail)
  const record = encodeRecord(stored)
  const begun = store.append({ session, epoch, tail: info.tail, lines: repair, record })
  const watch = watchLaunch(context, given)
  const { log, recorder } = openRecorder(context, {
    session,
    epoch,
    tail,
    stored,
    onEnd: watch.end,
  })
  begun.then(watch.begin, () => {})
  const onError = (error: unknown): void => context.onError(error, { session })
  const run = startRun({ agent, input, log, recorder, begun, abortGraceMs, onError })
  runs.set(session, run)
  titles.follow(session, run)
  starting.delete(session)
  const release = keepLease(context, { session, epoch, run })
  const gone: Promise<void> = run.over.then(async () => {
    release()
    if (run.isHandedOver()) await letLapse(context, session, epoch)
    runs.delete(session)
    leaving.delete(gone)
    watch.finish({ isStored: run.lastId() !== undefined, isHandedOver: run.isHandedOver() })
  })
  leaving.add(gone)
  try {
    await fromStore(begun)
  } catch (error) {
    await gone
    throw error
  }
  return { session, after: info.tail, goal: run }
}

/** What the log holds so far is settled: nothing in it is of a step that may be made again. */
function toLaunched({ looseFrom: _, ...stored }: StoredSession, tail: number): StoredSession {
  return { ...stored, recordedAt: tail }
}

/** Lets whoever comes first carry on a run that was handed over, and says so to those who need not look for it then. */
async function letLapse(context: RunContext, session: string, epoch: number): Promise<void> {
  const { store, onError } = context
  const lapsed = { ...leaseOf(context), ms: 0 }
  try {
    await store.renew(session, epoch, lapsed)
    await store.send(session, carryOnCommand)
  } catch (error) {
    onError(error, { session })
  }
}

function watchLaunch({ observer, now }: RunContext, given: Launch): RunWatch {
  const { info, stored, input, repair } = given
  const run = { session: info.session, stored, input, isRecovered: repair !== undefined }
  return createRunWatch(run, observer, now)
}

function agentMissing(agentType: string): MillraceError {
  return new MillraceError(
    'unsupported',
    `This session belongs to the agent ${agentType}, which is not offered any more; start a new session.`,
  )
}
