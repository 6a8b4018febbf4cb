import { MillraceError } from '../../errors/index.ts'
import type { SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { launch } from '../runs/launch.ts'
import { offerToPaused } from '../runs/offer-to-paused.ts'
import { headOf, loadField, loadSession } from '../sessions/load-session.ts'
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
  type RunServices,
  sessionMissing,
  withRunSlot,
} from '../runs/run-services.ts'

/** A stop that was passed to the server that carries on a run. That may be gone, so only what is stored counts. */
interface PassedStop {
  /** The number of the run that is to stop. */
  readonly run: number
}

/** The key of the request that asks for a stop, and the stop that this request has already passed to another server. */
export interface StopOptions {
  readonly key?: MessageKey | undefined
  readonly passed?: PassedStop | undefined
}

/**
 * Stops the run of a session, or one agent of it. A run that has paused is closed: what waited is answered with what
 * happened; if only a sub-agent is stopped that waits in it, the rest goes on. The stop is stored when this resolves with
 * true, so that it holds if the server dies. The same key again gives the same outcome. Needs the session's lock.
 */
export async function stop(
  services: RunServices,
  session: string,
  agent: string | undefined,
  { key, passed }: StopOptions = {},
): Promise<boolean | PassedStop> {
  const { store, runs } = services
  const info = key && passed === undefined ? await mapStoreErrors(store.info(session)) : undefined
  const receipt = await findReceipt(store, info, key)
  if (receipt !== undefined) return isDone(receipt.state)
  const run = runs.get(session)
  if (run !== undefined && !run.isEnding()) {
    // The run that was to stop is over, and this server has begun the next one.
    if (passed !== undefined && run.number !== passed.run) return true
    return stopHere(services, run, toSubagent(agent, run), key)
  }
  await run?.over
  const known = await mapStoreErrors(store.info(session))
  const head = headOf(known)
  if (known === undefined || head === undefined) throw sessionMissing(session)
  const whom = toSubagent(agent, { session, root: rootAgentOf(session, head) })
  if (passed !== undefined && head.runs !== passed.run) return true
  if (isElsewhere(known)) {
    if (whom === undefined && (await loadField(store, known, 'stop')) === true) {
      return passed !== undefined || isDone(await keepReceipt(services, known, key, 'done'))
    }
    const one = whom === undefined ? {} : { agent: whom }
    if (passed === undefined) await passCommand(services, known, { type: 'stop', ...one }, key)
    return whom === undefined ? { run: head.runs } : true
  }
  if (passed !== undefined && head.status === 'ended') return head.stopReason === 'aborted'
  const isStopped = await stopPaused(services, known, whom, key)
  if (isStopped || passed !== undefined) return isStopped
  return isDone(await keepReceipt(services, known, key, 'void'))
}

/** Whether a stop had an effect, or will have one. */
function isDone(state: CommandState): boolean {
  return state !== 'void'
}

/** Closes a run that has paused, or goes on with it without one of its agents; false if there is nothing to stop. */
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

/** The sub-agent that a stop names; undefined if it names the whole run. */
function toSubagent(
  agent: string | undefined,
  { session, root }: Pick<Run, 'session' | 'root'>,
): string | undefined {
  return agent === session || agent === root ? undefined : agent
}

/** Stores a stop, and gives it to the run of this server. */
async function stopHere(
  services: RunServices,
  run: Run,
  agent: string | undefined,
  key: MessageKey | undefined,
): Promise<boolean> {
  const { session, log, number, inbox } = run
  const isTaken = (): boolean => run.offer({ type: 'stop', agent }).verdict === 'taken'
  // A stop of the whole run is stored with its state besides, and needs no command unless it may be repeated.
  if (agent === undefined && key === undefined) {
    if (!isTaken()) return false
    await mapStoreErrors(run.keepStop())
    return true
  }
  const one = agent === undefined ? {} : { agent }
  const place = { session, log, run: number, key }
  const submitted = await submitCommand(services, place, { type: 'stop', ...one })
  inbox.add(submitted.command.key, submitted.stored)
  if (isTaken()) {
    if (agent === undefined) await mapStoreErrors(run.keepStop())
    return true
  }
  const body = encodeReceipt({ state: 'void', ...(key && { digest: key.digest }) })
  await mapStoreErrors(services.store.settle(session, { key: submitted.command.key, body }, log))
  return false
}

/** A server that is gone loses its run after one lease; another may have to take it, and be asked. */
export const MAX_LEASES = 3
/** So often a run elsewhere is looked at again. */
export const RETRY_MS = 50

/** Asks the server that carries on a run until it has stored that it stops; one that is gone loses the run meanwhile. */
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

/** Says that a run did not stop in time. */
export function notStopped(session: string): MillraceError {
  return new MillraceError(
    'overloaded',
    `The server that carries on session ${session} has not stopped it; try again in a moment.`,
  )
}
