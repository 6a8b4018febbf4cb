import { compareLog, type SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { ageOf, currentMoment } from '../timing.ts'
import { closing, isElsewhere, type RunServices } from '../runs/run-services.ts'
import { sessionMissing } from '../sessions/load-session.ts'
import { openUnchanged } from './open-idle.ts'
import { voidPrompts } from './queue.ts'
import { MAX_LEASES, notStopped, RETRY_MS } from './stop.ts'

/** Time for readers of a stopped run to read its end before the log is removed. */
const END_READ_MS = 100

interface Removal {
  /** The expected log; a session that was created again has another one. */
  readonly log?: string | undefined
  /** Runs a task with the session's lock. */
  readonly inLock: <Result>(task: () => Promise<Result>) => Promise<Result>
  /** Stops the run of the session, on any server. */
  readonly stop: () => Promise<unknown>
}

/** Removes a session with all its data. Stops its run first, so that its readers get an end. */
export async function untilRemoved(
  services: RunServices,
  session: string,
  { log, inLock, stop }: Removal,
): Promise<void> {
  const { leaseMs, closed } = services
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, closed)
    if (closed.aborted) throw closing()
  }
  const since = currentMoment()
  for (let isStopped = false; ; isStopped = true) {
    if (isStopped) await pause(END_READ_MS)
    if (await inLock(() => removeIdle(services, session, log))) return
    do {
      if (ageOf(since) > MAX_LEASES * leaseMs) throw notStopped(session)
      // A queued prompt would start when the run has stopped.
      await voidPrompts(services, session)
      await stop()
      await pause(RETRY_MS)
    } while ((await findIdle(services, session, log)) === undefined)
  }
}

/**
 * Removes a session without an active run; false if a run is active. Becomes its writer first, so that no other server
 * starts a run meanwhile. Requires the session's lock.
 */
async function removeIdle(
  services: RunServices,
  session: string,
  log: string | undefined,
): Promise<boolean> {
  const known = await findIdle(services, session, log)
  if (known === undefined) return false
  await openUnchanged(services, session, known)
  const isRemoved = await services.store.remove(session)
  services.ownerQuota.forget(known.owner)
  return isRemoved
}

/** Finds a session without an active run on any server; undefined if one is active. */
async function findIdle(
  { store, runs }: RunServices,
  session: string,
  log: string | undefined,
): Promise<SessionInfo | undefined> {
  const known = await store.info(session)
  if (known === undefined) throw sessionMissing(session)
  compareLog(session, log, known.log)
  const isHere = runs.get(session)?.log === known.log
  return isHere || isElsewhere(known) ? undefined : known
}
