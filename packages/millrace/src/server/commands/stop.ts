import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { launch } from '../runs/launch.ts'
import { headOf, loadField, loadSession, sessionMissing } from '../sessions/load-session.ts'
import { ageOf, currentMoment } from '../timing.ts'
import { openIdle } from './open-idle.ts'
import {
  type CommandState,
  encodeReceipt,
  findReceipt,
  type MessageKey,
  toReceipts,
} from './receipts.ts'
import { keepReceipt, passCommand, submitCommand } from './run-command.ts'
import type { Run } from '../runs/run.ts'
import { rootAgentOf } from '../sessions/session-record.ts'
import {
  closing,
  isElsewhere,
  offerToPaused,
  type RunServices,
  withRunSlot,
} from '../runs/run-services.ts'
/** A stop that was passed to the server of the run. That server may be gone, so only stored state counts. */
interface PassedStop {
  readonly run: number
}

/** The key of a stop request, and the stop that it has already passed to another server. */
interface StopOptions {
  readonly key?: MessageKey | undefined
  readonly passed?: PassedStop | undefined
}

/**
 * Stops the run of a session, or one of its agents. A paused run is closed, and its pending calls get an error result that names the stop. If only a waiting sub-agent is stopped, the rest continues. When this resolves with true, the stop is stored and
 * survives a crash. The same key again has the same outcome. Requires the session's lock.
 */
export async function stop(
  services: RunServices,
  session: string,
  agent: string | undefined,
  { key, passed }: StopOptions = {},
): Promise<boolean | PassedStop> {
  const { store, runs } = services
  const info = key && passed === undefined ? await store.info(session) : undefined
  const receipt = await findReceipt(store, info, key)
  if (receipt !== undefined) return isDone(receipt.state)
  const run = runs.get(session)
  if (run !== undefined && !run.isEnding()) {
    // The run to stop is over, and this server has started the next one.
    if (passed !== undefined && run.number !== passed.run) return true
    return stopHere(services, run, toSubagent(agent, run), key)
  }
  await run?.over
  const known = await store.info(session)
  const head = headOf(known)
  if (known === undefined || head === undefined) throw sessionMissing(session)
  const whom = toSubagent(agent, { session, root: rootAgentOf(session, head) })
  if (passed !== undefined && head.runs !== passed.run) return true
  const keep = async (state: 'done' | 'void'): Promise<boolean> =>
    isDone(await keepReceipt(services, known, key, { state }))
  if (isElsewhere(known)) {
    if (whom === undefined && (await loadField(store, known, 'stop')) === true)
      return passed !== undefined || keep('done')
    const one = whom === undefined ? {} : { agent: whom }
    if (passed === undefined) await passCommand(services, known, { type: 'stop', ...one }, key)
    return whom === undefined ? { run: head.runs } : true
  }
  const isStoppedBefore = head.status === 'ended' && head.stopReason === 'aborted'
  if (passed !== undefined && head.status === 'ended') return isStoppedBefore
  // The run was already ending here, by an earlier stop.
  if (isStoppedBefore && head.runs === run?.number) return keep('done')
  const isStopped = await stopPaused(services, known, whom, key)
  if (isStopped || passed !== undefined) return isStopped
  return keep('void')
}

/** Whether a stop has, or will have, an effect. */
function isDone(state: CommandState): boolean {
  return state !== 'void'
}

/** Closes a paused run, or resumes it without one of its agents; false if there is nothing to stop. */
async function stopPaused(
  services: RunServices,
  known: SessionInfo,
  agent: string | undefined,
  key: MessageKey | undefined,
): Promise<boolean> {
  const { store, now } = services
  const { session } = known
  const isPaused = headOf(known)?.status === 'paused'
  const loaded = isPaused ? await loadSession(store, known) : undefined
  if (loaded === undefined) return false
  const { stored: before, writer: record } = loaded
  const { verdict } = await offerToPaused(services, known, { type: 'stop', agent })
  if (verdict !== 'taken') return false
  await withRunSlot(services, session, async () => {
    const info = await openIdle(services, session, known)
    const running = { updatedAt: now(), status: 'running', stopReason: null } as const
    const stored = { ...before, ...running, stop: agent ?? (true as const) }
    const commands = toReceipts(key)
    await launch(services, { info, stored, record, commands })
  })
  return true
}

/** Returns the sub-agent that a stop names; undefined for the whole run. */
function toSubagent(
  agent: string | undefined,
  { session, root }: Pick<Run, 'session' | 'root'>,
): string | undefined {
  return agent === session || agent === root ? undefined : agent
}

/** Stores a stop and passes it to the run on this server. */
async function stopHere(
  services: RunServices,
  run: Run,
  agent: string | undefined,
  key: MessageKey | undefined,
): Promise<boolean> {
  const { session, log, number, inbox } = run
  const isTaken = (): boolean => run.offer({ type: 'stop', agent }).verdict === 'taken'
  // A stop of the whole run is also stored in the state, so it needs a command only if it has a key.
  if (agent === undefined && key === undefined) {
    if (!isTaken()) return false
    await run.keepStop()
    return true
  }
  const one = agent === undefined ? {} : { agent }
  const place = { session, log, run: number, key }
  const submitted = await submitCommand(services, place, { type: 'stop', ...one })
  inbox.add(submitted.command.key, submitted.stored)
  if (isTaken()) {
    if (agent === undefined) await run.keepStop()
    return true
  }
  const body = encodeReceipt({ state: 'void', ...(key && { digest: key.digest }) })
  await services.store.settle(session, { key: submitted.command.key, body }, log)
  return false
}

/** A server that is gone loses its run after one lease; another server may have to recover the run and stop it. */
export const MAX_LEASES = 3
/** Interval of checks on a run of another server. */
export const RETRY_MS = 50

/** Stops a run and waits until that is stored. A server that is gone loses the run meanwhile. */
export async function untilStopped(
  services: RunServices,
  inTurn: <Result>(session: string, task: () => Promise<Result>) => Promise<Result>,
  session: string,
  { agent, key }: { readonly agent?: string | undefined; readonly key?: MessageKey | undefined },
): Promise<boolean> {
  const { leaseMs, closed } = services
  const since = currentMoment()
  const stopOnce = (passed?: PassedStop) =>
    inTurn(session, () => stop(services, session, agent, { key, passed }))
  let stopped = await stopOnce()
  while (typeof stopped !== 'boolean') {
    if (ageOf(since) > MAX_LEASES * leaseMs) throw notStopped(session)
    await sleep(RETRY_MS, closed)
    if (closed.aborted) throw closing()
    stopped = await stopOnce(stopped)
  }
  return stopped
}

/** Creates the error for a run that did not stop in time. */
export function notStopped(session: string): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server of session ${session} has not stopped its run; try again in a moment.`,
  )
}
