import type { RunStart, UnsettledAgent } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import type { CommandChange, SessionInfo } from '../../stores/port/index.ts'
import { restorePrompt } from '../files/prompt-files.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { currentMoment } from '../timing.ts'
import { renewLease } from '../recovery/renew-lease.ts'
import { giveWaiting } from '../commands/give-waiting.ts'
import { RunInbox } from './run-inbox.ts'
import { openRecorder, type RecorderPlace } from './open-recorder.ts'
import { startRun } from './run.ts'
import { closing, leaseOf, type LogRange, type RunServices } from './run-services.ts'
import { openState } from '../sessions/stored-state.ts'
import type { Prompt } from '../../events/index.ts'
import type { RecordWriter } from '../sessions/record-writer.ts'
import { rootAgentOf, type StoredSession } from '../sessions/session-record.ts'
import { carryOnCommand } from '../commands/run-command.ts'
import { trimRuns } from '../retention/trim-runs.ts'
import { createRunMetrics, type RunMetrics } from './run-metrics.ts'

/** A run that may start: its session has been opened and nothing else runs there. */
export interface Launch {
  readonly info: SessionInfo
  readonly stored: StoredSession
  /** Writes what changes in it. */
  readonly record: RecordWriter
  /** Lines that close what an earlier process left open, stored before the run goes on. */
  readonly repair?: readonly Uint8Array[]
  /** The agents that it interrupted, with the first frames of their steps. */
  readonly unsettled?: readonly (UnsettledAgent & { readonly firstId: number })[]
  /** Commands that are settled with the beginning. */
  readonly commands?: readonly CommandChange[]
  /** The version of the inbox that the run may begin at; any if absent. */
  readonly inbox?: number
}

/**
 * Stores that a run begins, then starts it; the reading covers it from its first message to its end. The run is
 * known from the first moment on: whoever looks while that is being stored must not take it for one that was lost.
 */
export async function launch(services: RunServices, given: Launch): Promise<LogRange> {
  const { store, runs, starting, leaving, titles, abortGraceMs, now, approvalTtlMs } = services
  const { info, record, repair = [], unsettled = [], commands = [] } = given
  const { session, log: logId, epoch } = info
  const { question } = given.stored
  const prompt = question && (await mapStoreErrors(restorePrompt({ store, session }, question)))
  const agent = services.agents[given.stored.agentType]
  if (agent === undefined) throw agentMissing(given.stored.agentType)
  // Those who close the server wait for the runs they see, and this one is not to be seen yet.
  if (services.isClosing()) throw closing()
  const tail = info.tail + repair.length
  const shown = shownSteps(unsettled)
  const stored = toLaunched(given.stored, { tail, isRepaired: repair.length > 0, shown })
  record.follow((bytes) => services.ownerQuota.add(info.owner, bytes))
  const encoded = record.encode(stored, tail)
  const sentAt = currentMoment()
  const at = { session, log: logId, epoch }
  const fence = { tail: info.tail, ...(given.inbox !== undefined && { inbox: given.inbox }) }
  const begun = store.append({ ...at, ...fence, lines: repair, ...encoded, commands })
  const metrics = createLaunchMetrics(services, given, prompt)
  const place = { ...at, tail, stored, record, unsettled: shown, onEnd: metrics.end }
  const onLost = (reason: MillraceError): void => run.abort(reason)
  const { inbox, lease, log, recorder, outbox } = openPlace(services, { info, place, onLost })
  const onBegun = (): void => {
    lease.confirm(sentAt)
    metrics.begin()
  }
  begun.then(onBegun, () => {})
  const onError = (error: unknown): void => services.onError(error, { session })
  const { permit } = lease
  const ties = { now, permit, ...(approvalTtlMs !== undefined && { approvalTtlMs }) }
  const { runs: number } = stored
  const root = rootAgentOf(session, stored)
  const start = { ...toStart(services, info, stored, prompt), unsettled }
  const parts = { session, root, number, agent, start, logId, log, recorder, inbox, begun }
  const ready = async () => (info.pending > 0 ? giveWaiting(services, run) : undefined)
  const run = startRun({ ...parts, abortGraceMs, ties, ready, onError })
  runs.set(session, run)
  const mayAsk = (): Promise<boolean> => begun.then(lease.isHeld, () => false)
  titles.follow(session, { retitle: run.retitle, mayAsk })
  starting.delete(session)
  if (info.pending > 0) services.attend(session)
  const gone: Promise<void> = run.over.then(async () => {
    lease.stop()
    if (run.isHandedOver()) await expireLease(services, at)
    runs.delete(session)
    if (run.lastId() !== undefined) await trimRuns(services, at, number)
    leaving.delete(gone)
    if (run.lastId() !== undefined) outbox.publish()
    // What it was given and has not told may have come too late.
    if (inbox.hasOpen() && !services.isClosing()) services.attend(session, inbox)
    metrics.finish({ isStored: run.lastId() !== undefined, isHandedOver: run.isHandedOver() })
  })
  leaving.add(gone)
  try {
    await mapStoreErrors(begun)
  } catch (error) {
    await gone
    throw error
  }
  return { session, log: logId, root, after: info.tail, completion: run }
}

/** The start of a run, as it is stored with its session. */
function toStart(
  { store }: RunServices,
  info: SessionInfo,
  session: StoredSession,
  prompt: Prompt | undefined,
): RunStart {
  const { stop, checkpoint: from } = session
  const asked = { ...(prompt !== undefined && { prompt }), ...(stop !== undefined && { stop }) }
  const agent = rootAgentOf(info.session, session)
  return { agent, stored: openState(store, info), from, ...asked }
}

/** The first frames of interrupted steps that readers have seen, by agent. */
function shownSteps(unsettled: NonNullable<Launch['unsettled']>): ReadonlyMap<string, number> {
  const shown = unsettled.filter(({ isShown }) => isShown)
  return new Map(shown.map(({ agent, firstId }) => [agent, firstId]))
}

/** What a run is opened with. */
interface RunPlace {
  readonly info: SessionInfo
  readonly place: RecorderPlace
  readonly onLost: (reason: MillraceError) => void
}

/** Opens the lease, the inbox and the recorder of a run. */
function openPlace(services: RunServices, { info, place, onLost }: RunPlace) {
  const inbox = new RunInbox(rootAgentOf(info.session, place.stored), place.stored.runs)
  const known = { inbox: info.inbox, onCommands: () => services.attend(info.session) }
  const lease = renewLease(services, { ...place, ...known, onLost })
  const { confirm: onStored, isHeld } = lease
  const opened = openRecorder(services, { ...place, inbox, known, onStored, isHeld })
  return { inbox, lease, ...opened }
}

/** The log is settled so far, except for steps that the agent is about to roll back. */
function toLaunched(
  { looseFrom: _, ...stored }: StoredSession,
  { tail, isRepaired, shown }: LaunchedLog,
): StoredSession {
  // A repair may end with a rollback, and what an older server has written may hold any.
  const lastRollback = isRepaired ? tail : (stored.lastRollback ?? tail)
  const { lastDecision = tail } = stored
  const loose = shown.size === 0 ? {} : { looseFrom: Math.min(...shown.values()) }
  return { ...stored, ...loose, lastRollback, lastDecision, recordedAt: tail }
}

interface LaunchedLog {
  readonly tail: number
  readonly isRepaired: boolean
  /** The first frames of interrupted steps, by agent. */
  readonly shown: ReadonlyMap<string, number>
}

/** Lets whoever comes first carry on a run that was handed over, and says so to those who need not look for it then. */
async function expireLease(
  services: RunServices,
  { session, log, epoch }: Pick<SessionInfo, 'session' | 'log' | 'epoch'>,
): Promise<void> {
  const { store, onError } = services
  const lapsed = { ...leaseOf(services), ms: 0 }
  try {
    await store.renew(session, epoch, lapsed, log)
    await store.send(session, carryOnCommand)
  } catch (error) {
    onError(error, { session })
  }
}

function createLaunchMetrics(
  { observer, now }: RunServices,
  { info, stored, repair }: Launch,
  prompt: Prompt | undefined,
): RunMetrics {
  const run = { session: info.session, stored, prompt, isRecovered: repair !== undefined }
  return createRunMetrics(run, observer, now)
}

/** Creates the error for a session whose agent the server does not have. */
export function agentMissing(agentType: string): MillraceError {
  return new MillraceError(
    'unsupported',
    `This session belongs to the agent ${agentType}, which is not offered any more; start a new session.`,
  )
}
