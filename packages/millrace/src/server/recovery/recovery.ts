import { isMillraceError } from '../../errors/index.ts'
import type { HeldLease, SessionInfo, Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { recover } from './recover.ts'
import { isElsewhere, isRunning, type RunServices } from '../runs/run-services.ts'
import { startIdleTimer } from '../../streams/index.ts'

/** So many leases are looked at together. */
const SWEEP = 100

/** When lost runs are carried on, see the option of the handler. */
export type Recovers = boolean | 'on_request'

/** How lost runs are found. */
export interface RecoveryOptions {
  readonly services: RunServices
  readonly lock: KeyedLock
  /** Tells whether the holder of a lease is known to be gone, so that nobody waits for it to lapse. */
  readonly isGone: (owner: string) => boolean
  /** Told of each session whose run is carried on. */
  readonly onRecovered: (session: string) => void
}

/** Looks for runs that nobody carries on. */
export interface Recovery {
  /** Carries on what was lost, now and from time to time; resolves with the sessions found now. */
  sweep(): Promise<readonly string[]>
  /** Begins to sweep in the background, once, unless that is switched off. */
  start(): void
  /** Carries on what was handed over just now, if lost runs are looked for; the next sweep would find it too. */
  take(session: string): Promise<void>
  /** Whether readers have lost runs carried on. */
  isForReaders(): boolean
  /** Carries on the run of one session for a reader, if it was lost, and reports what fails. */
  attempt(session: string): Promise<void>
  /** Whether a server carries on the run of a session, or will as soon as it is found. */
  isCarriedOn(info: SessionInfo): boolean
  /**
   * Carries on the run of one session, if it was lost; false if there is none. Throws `lease_lost` if another server
   * was faster. Needs the session's lock.
   */
  recoverIfLapsed(session: string): Promise<boolean>
  stop(): void
}

type HeldBy = Omit<HeldLease, 'session'>

/** Builds a recovery that sweeps by itself from its first sweep on, twice in the time that a lease lasts. */
export function createRecovery(options: RecoveryOptions): Recovery {
  const { services, lock, isGone, onRecovered } = options
  const { store, leaseMs, onError, isClosing } = services
  const { recovers = store.isDurable || 'on_request' } = services
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOn = false
  let isStopped = false

  const isForReaders = (): boolean => isOn || recovers !== false

  const isFree = ({ owner, hasLapsed }: HeldBy): boolean => hasLapsed || isGone(owner)

  const isLost = (info: SessionInfo): boolean =>
    info.lease === undefined ? isRunning(info) : isFree(info.lease)

  const recoverIfLapsed = async (session: string): Promise<boolean> => {
    if (isClosing() || services.runs.has(session)) return false
    const info = await mapStoreErrors(store.info(session))
    if (info === undefined || !isLost(info)) return false
    const isRecovered = await mapStoreErrors(recover(services, info))
    if (isRecovered) onRecovered(session)
    return isRecovered
  }

  const tryOne = (session: string): Promise<boolean> =>
    lock(session, () => recoverIfLapsed(session)).catch((error: unknown) => {
      // That another server was faster is as good.
      if (!isMillraceError(error) || error.code !== 'lease_lost') onError(error, { session })
      return false
    })

  const sweep = async (): Promise<readonly string[]> => {
    isOn = true
    try {
      const taken = await sweepLeases(store, async ({ session, ...lease }) =>
        isFree(lease) && !services.runs.has(session) ? tryOne(session) : false,
      )
      for (const session of await findUnattended(services)) services.attend(session)
      return taken
    } catch (error) {
      onError(error)
      return []
    } finally {
      clearTimeout(timer)
      if (!isStopped) timer = startIdleTimer(() => void sweep(), leaseMs / 2)
    }
  }

  return {
    sweep,
    start: () => {
      if (recovers === true && !isOn && !isStopped) void sweep()
    },
    take: async (session) => {
      if (isOn) await tryOne(session)
    },
    isForReaders,
    attempt: async (session) => {
      if (isForReaders() && !services.runs.has(session)) await tryOne(session)
    },
    recoverIfLapsed,
    isCarriedOn: (info) => isElsewhere(info) || (isForReaders() && isRunning(info)),
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** So many sessions with pending commands are looked at in one sweep. */
const MAX_UNATTENDED = 3_200

/** The sessions with pending commands that nobody attends to. Prompts may wait in many of them for people to answer, and must not hide the others. */
async function readUnattended(store: Store): Promise<readonly string[]> {
  for (let limit = SWEEP; ; limit *= 2) {
    const sessions = await store.unattended(limit)
    if (sessions.length < limit || limit >= MAX_UNATTENDED) return sessions
  }
}

/** Tries all leases, those that lapse first first; resolves with the sessions of those that were taken. */
async function sweepLeases(
  store: Store,
  tryOne: (held: HeldLease) => Promise<boolean>,
): Promise<readonly string[]> {
  const taken: string[] = []
  for (;;) {
    const held = await store.leases(SWEEP)
    const before = taken.length
    for (const one of held) if (await tryOne(one)) taken.push(one.session)
    // Those that were taken lapse later than all others.
    if (held.length < SWEEP || taken.length === before) return taken
  }
}

/**
 * Sessions with commands that nobody carries out. Sessions whose deliveries this server holds seldom have other commands: only some
 * of these are looked at, so that a receiver that is down does not hide the rest.
 */
async function findUnattended({ store, deliveries }: RunServices): Promise<readonly string[]> {
  const held = deliveries.sessions()
  const found = await readUnattended(store)
  const known = found.filter((session) => held.has(session))
  const start = Math.floor(Math.random() * Math.max(1, known.length - SWEEP + 1))
  return [...found.filter((session) => !held.has(session)), ...known.slice(start, start + SWEEP)]
}
