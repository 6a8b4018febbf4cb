import type { SessionInfo } from '../store/index.ts'
import { fromStore } from './from-store.ts'
import type { KeyedLock } from './keyed-lock.ts'
import { recover } from './recover.ts'
import { isElsewhere, type RunContext, toStoredSession } from './run-context.ts'

/** So many leases are looked at in one sweep; the next one goes on. */
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
  /** Whether lost runs are looked for. */
  isOn(): boolean
  /** Carries on the run of one session, if it was lost and lost ones are looked for. Needs the session's lock. */
  revive(session: string): Promise<void>
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

  const tryOne = async (session: string): Promise<boolean> => {
    try {
      return await lock(session, () => recover(context, session))
    } catch (error) {
      onError(error, { session })
      return false
    }
  }

  const sweepOnce = async (): Promise<readonly string[]> => {
    const held = await store.leases(SWEEP)
    const lost = held.filter(
      ({ session, owner, hasLapsed }) => !context.runs.has(session) && (hasLapsed || isGone(owner)),
    )
    const recovered: string[] = []
    for (const { session } of lost) {
      if (isClosing() || !(await tryOne(session))) continue
      recovered.push(session)
      onRecovered(session)
    }
    return recovered
  }

  const sweep = async (): Promise<readonly string[]> => {
    isOn = true
    clearTimeout(timer)
    try {
      return await sweepOnce()
    } catch (error) {
      onError(error)
      return []
    } finally {
      if (!isStopped) timer = setTimeout(() => void sweep(), leaseMs / 2)
    }
  }

  const revive = async (session: string): Promise<void> => {
    if (!isOn || isClosing() || context.runs.has(session)) return
    const lease = (await fromStore(store.info(session)))?.lease
    if (lease === undefined || (!lease.hasLapsed && !isGone(lease.owner))) return
    if (await fromStore(recover(context, session))) onRecovered(session)
  }

  return {
    sweep,
    isOn: () => isOn,
    revive,
    isCarriedOn: (info) =>
      isElsewhere(info) || (isOn && toStoredSession(info)?.status === 'running'),
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
