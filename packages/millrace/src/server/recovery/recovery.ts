import { isMillraceError } from '../../errors/index.ts'
import type { HeldLease, SessionInfo, Store } from '../../store/index.ts'
import { fromStore } from '../from-store.ts'
import type { KeyedLock } from '../keyed-lock.ts'
import { recover } from './recover.ts'
import { isElsewhere, isRunning, type RunContext } from '../run-context.ts'

/** So many leases are looked at together. */
const SWEEP = 100

/** How lost runs are found. */
export interface RecoveryOptions {
  readonly context: RunContext
  readonly lock: KeyedLock
  /** Tells whether the holder of a lease is known to be gone, so that nobody waits for it to lapse. */
  readonly isGone: (owner: string) => boolean
  /** Told of each session whose run is carried on. */
  readonly onRecovered: (session: string) => void
}

/** Looks for runs that nobody carries on. */
export interface Recovery {
  /** Carries on what was lost; resolves with the sessions. */
  sweep(): Promise<readonly string[]>
  /** Carries on what was handed over just now, if lost runs are looked for; the next sweep would find it too. */
  take(session: string): Promise<void>
  /** Whether lost runs are looked for. */
  isOn(): boolean
  /**
   * Carries on the run of one session, if it was lost; false if there is none. Throws `lease_lost` if another server
   * was faster. Needs the session's lock.
   */
  revive(session: string): Promise<boolean>
  /** Whether somebody carries on the run of a session, or will as soon as it is found. */
  isCarriedOn(info: SessionInfo): boolean
  stop(): void
}

/** Builds a recovery that sweeps by itself from its first sweep on, as often as leases are renewed. */
export function createRecovery(options: RecoveryOptions): Recovery {
  const { context, lock, isGone, onRecovered } = options
  const { store, leaseMs, onError, isClosing } = context
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOn = false
  let isStopped = false

  const isFree = ({ owner, hasLapsed }: Omit<HeldLease, 'session'>): boolean =>
    hasLapsed || isGone(owner)

  const isLost = (info: SessionInfo): boolean =>
    info.lease === undefined ? isRunning(info) : isFree(info.lease)

  const revive = async (session: string): Promise<boolean> => {
    if (isClosing() || context.runs.has(session)) return false
    const info = await fromStore(store.info(session))
    if (info === undefined || !isLost(info)) return false
    const isRecovered = await fromStore(recover(context, info))
    if (isRecovered) onRecovered(session)
    return isRecovered
  }

  const tryOne = async (session: string): Promise<boolean> => {
    try {
      return await lock(session, () => revive(session))
    } catch (error) {
      // That another server was faster is as good.
      if (!isMillraceError(error) || error.code !== 'lease_lost') onError(error, { session })
      return false
    }
  }

  const sweep = async (): Promise<readonly string[]> => {
    isOn = true
    try {
      const taken = await sweepLeases(store, async ({ session, ...lease }) =>
        isFree(lease) && !context.runs.has(session) ? tryOne(session) : false,
      )
      for (const session of await readUnattended(store)) context.attend(session)
      return taken
    } catch (error) {
      onError(error)
      return []
    } finally {
      clearTimeout(timer)
      if (!isStopped) timer = setTimeout(() => void sweep(), leaseMs / 2)
    }
  }

  return {
    sweep,
    take: async (session) => {
      if (isOn) await tryOne(session)
    },
    isOn: () => isOn,
    revive,
    isCarriedOn: (info) => isElsewhere(info) || (isOn && isRunning(info)),
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
