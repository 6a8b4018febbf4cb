import { isMillraceError } from '../../errors/index.ts'
import type { HeldLease, SessionInfo, Store } from '../../stores/port/index.ts'
import { mapStoreErrors } from '../map-store-errors.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { leftToOthers } from './left-sessions.ts'
import { recover } from './recover.ts'
import { isElsewhere, isRunning, type RunServices } from '../runs/run-services.ts'
import { startIdleTimer } from '../../streams/index.ts'

/** Number of leases read at once. */
const SWEEP = 100

/** When lost runs are recovered; see the option of the handler. */
export type Recovers = boolean | 'on_request'

/** Options of {@link createRecovery}. */
export interface RecoveryOptions {
  readonly services: RunServices
  readonly lock: KeyedLock
  /** Checks whether the holder of a lease is known to be gone, so that the lease need not lapse first. */
  readonly isGone: (owner: string) => boolean
  /** Receives each session whose run is recovered. */
  readonly onRecovered: (session: string) => void
}

/** Finds and recovers lost runs. */
export interface Recovery {
  /** Recovers lost runs, now and periodically; resolves with the sessions found now. */
  sweep(): Promise<readonly string[]>
  /** Starts to sweep in the background, once, unless that is disabled. */
  start(): void
  /** Recovers a run that was handed off, if this server sweeps; the next sweep would find it too. */
  take(session: string): Promise<void>
  /** Checks whether requests of readers recover lost runs. */
  isForReaders(): boolean
  /** Recovers the run of one session for a reader, if it was lost, and reports errors. */
  attempt(session: string): Promise<void>
  /** Checks whether a server runs the session, or will as soon as it finds the lost run. */
  isServed(info: SessionInfo): boolean
  /**
   * Recovers the run of one session, if it was lost; false if there is none, or if it is left to other servers. Throws `lease_lost` if
   * another server was faster, and `overloaded` for a command to a run that is left. Requires the session's lock.
   */
  recoverIfLapsed(session: string, options?: { readonly isCommand?: boolean }): Promise<boolean>
  stop(): void
}

type HeldBy = Omit<HeldLease, 'session'>

/** Creates a recovery. From its first sweep on it sweeps twice in the duration of a lease. */
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

  const recoverIfLapsed: Recovery['recoverIfLapsed'] = async (session, { isCommand } = {}) => {
    if (isClosing() || services.runs.has(session)) return false
    const info = await mapStoreErrors(store.info(session))
    if (info === undefined || !isLost(info)) return false
    if (isLeft(services, info, isCommand)) return false
    const isRecovered = await mapStoreErrors(recover(services, info))
    if (isRecovered) onRecovered(session)
    return isRecovered
  }

  const tryOne = (session: string): Promise<boolean> =>
    lock(session, () => recoverIfLapsed(session)).catch((error: unknown) => {
      // Another server has recovered the run.
      if (!isMillraceError(error) || error.code !== 'lease_lost') onError(error, { session })
      return false
    })

  const sweep = async (): Promise<readonly string[]> => {
    isOn = true
    try {
      const isLapsed = (held: HeldLease) => isFree(held) && !services.runs.has(held.session)
      const taken = await sweepLeases(store, { isLapsed, take: tryOne })
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
    isServed: (info) => isElsewhere(info) || (isForReaders() && isRunning(info)),
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Maximum number of sessions with pending commands in one sweep. */
const MAX_UNATTENDED = 3_200

/** Reads the sessions with unattended commands. Prompts in many of them may wait for answers, and must not hide the others. */
async function readUnattended(store: Store): Promise<readonly string[]> {
  for (let limit = SWEEP; ; limit *= 2) {
    const sessions = await store.unattended(limit)
    if (sessions.length < limit || limit >= MAX_UNATTENDED) return sessions
  }
}

/** Whether a lost run is left to other servers; throws for a command to it. */
function isLeft({ left }: RunServices, info: SessionInfo, isCommand = false): boolean {
  if (!isRunning(info) || !left.isLeft(info)) return false
  if (isCommand) throw leftToOthers(info)
  return true
}

/** The leases that a sweep may take, and how. */
interface LeaseSweep {
  readonly isLapsed: (held: HeldLease) => boolean
  readonly take: (session: string) => Promise<boolean>
}

/** Maximum number of leases in one sweep of which none can be taken. */
const MAX_LEASES = 3_200

/** Tries all leases, starting with those that lapse first; resolves with the sessions that were taken. */
async function sweepLeases(
  store: Store,
  { isLapsed, take }: LeaseSweep,
): Promise<readonly string[]> {
  const taken: string[] = []
  for (let limit = SWEEP; ;) {
    const held = await store.leases(limit)
    const lapsed = held.filter(isLapsed)
    const before = taken.length
    for (const { session } of lapsed) if (await take(session)) taken.push(session)
    if (held.length < limit) return taken
    // Taken leases lapse later than all others.
    if (taken.length > before) continue
    // Lapsed leases that are left to other servers must not hide those behind them.
    if (lapsed.length < held.length || limit >= MAX_LEASES) return taken
    limit *= 2
  }
}

/**
 * Finds sessions with unattended commands. Sessions whose deliveries this server holds seldom have other commands: only some of these are
 * checked, so that a receiver that is down does not hide the rest.
 */
async function findUnattended({ store, deliveries }: RunServices): Promise<readonly string[]> {
  const held = deliveries.sessions()
  const found = await readUnattended(store)
  const known = found.filter((session) => held.has(session))
  const start = Math.floor(Math.random() * Math.max(1, known.length - SWEEP + 1))
  return [...found.filter((session) => !held.has(session)), ...known.slice(start, start + SWEEP)]
}
