import { compareLog, type SessionInfo } from '../../stores/port/index.ts'
import { sleep } from '../../streams/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import { ageOf, currentMoment } from '../timing.ts'
import { closing, isElsewhere, type RunServices, sessionMissing } from '../runs/run-services.ts'
import { openIdle } from './open-idle.ts'
import { voidPrompts } from './queue.ts'
import { MAX_LEASES, notStopped, RETRY_MS } from './stop.ts'

/** The readers of a run that was stopped have this long to get its end before the log is gone. */
const END_READ_MS = 100

/** How a session is removed. */
export interface Removal {
  /** The log that the caller means; the session has another one if it has begun again. */
  readonly log?: string | undefined
  /** Runs an act on the session with its lock. */
  readonly inLock: <Result>(task: () => Promise<Result>) => Promise<Result>
  /** Stops the run of the session, wherever it is under way. */
  readonly stop: () => Promise<unknown>
}

/** Removes a session with all that belongs to it; its run stops first, so that its readers get an end. */
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
      // A prompt that waits would begin when the run has stopped.
      await voidPrompts(services, session)
      await stop()
      await pause(RETRY_MS)
    } while ((await findIdle(services, session, log)) === undefined)
  }
}

/**
 * Removes a session in which nothing runs; false if a run is under way. Becomes its writer first, so that no other server begins a
 * run meanwhile. Needs the session's lock.
 */
async function removeIdle(
  services: RunServices,
  session: string,
  log: string | undefined,
): Promise<boolean> {
  const known = await findIdle(services, session, log)
  if (known === undefined) return false
  await openIdle(services, session, known)
  const isRemoved = await mapStoreErrors(services.store.remove(session))
  services.ownerQuota.forget(known.owner)
  return isRemoved
}

/** Looks at a session in which nothing runs, here or elsewhere; undefined if something does. */
async function findIdle(
  { store, runs }: RunServices,
  session: string,
  log: string | undefined,
): Promise<SessionInfo | undefined> {
  const known = await mapStoreErrors(store.info(session))
  if (known === undefined) throw sessionMissing(session)
  compareLog(session, log, known.log)
  const isHere = runs.get(session)?.log === known.log
  return isHere || isElsewhere(known) ? undefined : known
}
