import type { RunStart, AgentRunOptions, UnsettledAgent } from '../../agent/port/index.ts'
import type { MillraceError } from '../../errors/index.ts'
import type { Prompt, RunEnd } from '../../events/index.ts'
import type { CommandChange, SessionInfo } from '../../stores/port/index.ts'
import { passPendingMessages } from '../commands/pass-message.ts'
import { recoverCommand } from '../commands/run-command.ts'
import { restorePrompt } from '../files/prompt-files.ts'
import { renewLease } from '../recovery/renew-lease.ts'
import { trimRuns } from '../retention/retention.ts'
import type { ServerObserver } from '../server-observer.ts'
import { openState, type RecordWriter } from '../sessions/record-writer.ts'
import { rootAgentOf, type StoredSession } from '../sessions/session-record.ts'
import { currentMoment } from '../timing.ts'
import { RunInbox } from './run-inbox.ts'
import { openRecorder, type RecorderPlace, type RunOutcome } from './run-recorder.ts'
import {
  agentMissing,
  closing,
  findAgent,
  leaseOf,
  type LogRange,
  type RunServices,
} from './run-services.ts'
import { type Run, startRun } from './run.ts'

/** A run that may start: its session is open and has no other run. */
interface Launch {
  readonly info: SessionInfo
  readonly stored: StoredSession
  /** Encodes changes of the session. */
  readonly record: RecordWriter
  /** Lines that close the open blocks of an earlier process, stored before the run continues. */
  readonly repair?: readonly Uint8Array[]
  /** The interrupted agents, with the first frames of their steps. */
  readonly unsettled?: readonly (UnsettledAgent & { readonly firstId: number })[]
  /** Commands that are settled with the start of the run. */
  readonly commands?: readonly CommandChange[]
  /** The inbox version at which the run may start; any if absent. */
  readonly inbox?: number
}

/**
 * Stores the start of a run, then starts it; the returned range covers it from its first frame to its end. The run is registered before
 * its start is stored, so that no other code takes it for lost.
 */
export async function launch(services: RunServices, given: Launch): Promise<LogRange> {
  const { store, runs, starting, leaving, titles, abortGraceMs } = services
  const { info, record, repair = [], unsettled = [], commands = [] } = given
  const { session, log: logId, epoch } = info
  const { question } = given.stored
  const prompt = question && (await restorePrompt({ store, session }, question))
  const agent = findAgent(services.agents, given.stored)
  if (agent === undefined) throw agentMissing(given.stored.agentType)
  // A closing server waits for registered runs only, and this one is not registered yet.
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
  const onError = (error: unknown): void => services.onError(error, { session })
  const onLost = (reason: MillraceError): void => leave(run, reason, onError)
  const { inbox, lease, log, recorder, outbox } = openPlace(services, { info, place, onLost })
  const onBegun = (): void => {
    lease.confirm(sentAt)
    metrics.begin()
  }
  begun.then(onBegun, () => {})
  const agentOptions = toAgentOptions(services, stored, lease.permit)
  const { runs: number } = stored
  const root = rootAgentOf(session, stored)
  const start = { ...toStart(services, info, stored, prompt), unsettled }
  const parts = { session, root, number, agent, start, logId, log, recorder, inbox, begun }
  const ready = async () => (info.pending > 0 ? passPendingMessages(services, run) : undefined)
  const run = startRun({ ...parts, abortGraceMs, agentOptions, ready, onError })
  runs.set(session, run)
  const mayAsk = (): Promise<boolean> => begun.then(lease.isHeld, () => false)
  titles.follow(session, { retitle: run.retitle, mayAsk })
  starting.delete(session)
  if (info.pending > 0) services.carryOutPending(session)
  const gone: Promise<void> = run.over.then(async () => {
    lease.stop()
    if (run.isHandedOver()) await expireLease(services, at)
    runs.delete(session)
    if (run.lastId() !== undefined) await trimRuns(services, at, number)
    leaving.delete(gone)
    if (run.lastId() !== undefined) outbox.publish()
    // Commands without a visible effect may have come too late.
    if (inbox.hasOpen() && !services.isClosing()) services.carryOutPending(session, inbox)
    if (run.isHandedOver() && !services.isClosing()) services.resume(session, epoch)
    metrics.finish({ isStored: run.lastId() !== undefined, isHandedOver: run.isHandedOver() })
  })
  leaving.add(gone)
  try {
    await begun
  } catch (error) {
    await gone
    throw error
  }
  return { session, log: logId, root, after: info.tail, completion: run }
}

/** Creates the options that the server sets for a run. */
function toAgentOptions(
  { now, approvalTtlMs }: RunServices,
  { context }: StoredSession,
  permit: NonNullable<AgentRunOptions['permit']>,
): AgentRunOptions {
  const approvals = approvalTtlMs === undefined ? {} : { approvalTtlMs }
  return { now, permit, ...approvals, ...(context !== undefined && { context }) }
}

/** Creates the start of a run from its stored session. */
function toStart(
  { store }: RunServices,
  info: SessionInfo,
  session: StoredSession,
  prompt: Prompt | undefined,
): RunStart {
  const { stop, checkpoint: from, history } = session
  const asked = { ...(prompt !== undefined && { prompt }), ...(stop !== undefined && { stop }) }
  const agent = rootAgentOf(info.session, session)
  const needsHistory = history !== false
  const { session: id } = info
  return { agent, session: id, stored: openState(store, info), from, needsHistory, ...asked }
}

/** Returns the first frames of interrupted steps that readers have seen, by agent. */
function shownSteps(unsettled: NonNullable<Launch['unsettled']>): ReadonlyMap<string, number> {
  const shown = unsettled.filter(({ isShown }) => isShown)
  return new Map(shown.map(({ agent, firstId }) => [agent, firstId]))
}

/** Parameters of {@link openPlace}. */
interface RunPlace {
  readonly info: SessionInfo
  readonly place: RecorderPlace
  readonly onLost: (reason: MillraceError) => void
}

/** Opens the lease, the inbox and the recorder of a run. */
function openPlace(services: RunServices, { info, place, onLost }: RunPlace) {
  const inbox = new RunInbox(rootAgentOf(info.session, place.stored), place.stored.runs)
  const known = { inbox: info.inbox, onCommands: () => services.carryOutPending(info.session) }
  const lease = renewLease(services, { ...place, ...known, onLost })
  const { confirm: onStored, isHeld } = lease
  const opened = openRecorder(services, { ...place, inbox, known, onStored, isHeld })
  return { inbox, lease, ...opened }
}

/** Returns the session at the start of a run. The log is settled up to here, except for steps that the agent will roll back. */
function toLaunched(
  { unsettledFrom: _, ...stored }: StoredSession,
  { tail, isRepaired, shown }: LaunchedLog,
): StoredSession {
  // A repair may end with a rollback, and a log of an older server may contain any.
  const lastRollback = isRepaired ? tail : (stored.lastRollback ?? tail)
  const { lastDecision = tail } = stored
  const unsettled = shown.size === 0 ? {} : { unsettledFrom: Math.min(...shown.values()) }
  return { ...stored, ...unsettled, lastRollback, lastDecision, recordedAt: tail }
}

interface LaunchedLog {
  readonly tail: number
  readonly isRepaired: boolean
  /** The first frames of interrupted steps, by agent. */
  readonly shown: ReadonlyMap<string, number>
}

/**
 * Leaves a run whose lease is lost. Unless another server took it over, or it was removed, it is continued once the store answers, here or
 * elsewhere.
 */
function leave(run: Run, reason: MillraceError, onError: (error: unknown) => void): void {
  if (reason.code !== 'store_unavailable') return run.abort(reason)
  onError(reason)
  run.handOff()
}

/** Expires the lease so that any server can take over the run, and notifies servers that do not sweep. */
async function expireLease(
  services: RunServices,
  { session, log, epoch }: Pick<SessionInfo, 'session' | 'log' | 'epoch'>,
): Promise<void> {
  const { store, onError } = services
  const lapsed = { ...leaseOf(services), ms: 0 }
  try {
    await store.renew(session, epoch, lapsed, log)
    await store.send(session, recoverCommand)
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

/** The data of a run for its observer. */
interface MeasuredRun {
  readonly session: string
  readonly stored: StoredSession
  readonly prompt?: Prompt | undefined
  readonly isRecovered: boolean
}

/** Reports the start and the end of one run to its observer, each once. */
interface RunMetrics {
  /** Reports that the start is stored. */
  readonly begin: () => void
  readonly end: (event: RunEnd, outcome: RunOutcome) => void
  /** Reports that the run is over: its end is stored, or cannot be. */
  finish(outcome: { readonly isStored: boolean; readonly isHandedOver: boolean }): void
}

/** Creates the metrics of one run. */
function createRunMetrics(
  { session, stored, prompt, isRecovered }: MeasuredRun,
  observer: Required<ServerObserver>,
  now: () => number,
): RunMetrics {
  const { agentType, runs: run } = stored
  const about = { session, agentType, run, isRecovered }
  const startedAt = now()
  let hasBegun = false
  let ended: ReturnType<typeof toEnd> | undefined

  return {
    begin: () => {
      hasBegun = true
      observer.runStarted({ ...about, ...(prompt !== undefined && { prompt }) })
    },
    end: (event, outcome) => {
      ended = toEnd(event, outcome)
    },
    finish: ({ isStored, isHandedOver }) => {
      if (!hasBegun) return
      const durationMs = Math.max(0, now() - startedAt)
      const end = isStored && ended !== undefined ? ended : toLostEnd(isHandedOver)
      observer.runEnded({ ...about, durationMs, ...end })
    },
  }
}

function toEnd({ stopReason, steps, usage }: RunEnd, { answer, failure }: RunOutcome) {
  return { stopReason, steps, usage, answer, ...(failure && { error: failure }) }
}

function toLostEnd(isHandedOver: boolean) {
  return { stopReason: isHandedOver ? 'handed_over' : 'lost' }
}
