import { isMillraceError, MillraceError } from '../../errors/index.ts'
import type { HeldLease, SessionInfo } from '../../stores/port/index.ts'
import { startIdleTimer } from '../../streams/index.ts'
import {
  findAgent,
  isElsewhere,
  isRunning,
  type RunServices,
  type RunsOptions,
} from '../runs/run-services.ts'
import { headOf } from '../sessions/load-session.ts'
import { isNewer } from '../sessions/session-record.ts'
import { ageOf, currentMoment, type KeyedLock, type Moment } from '../timing.ts'
import { recover } from './recover.ts'

/** Number of leases, or of sessions with pending commands, read at once. */
const PAGE = 100

/** When lost runs are recovered; see the option of the handler. */
export type Recovers = boolean | 'on_request'

interface RecoveryOptions {
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
  /** Continues a run that this server left in an epoch because its store did not answer, unless another server does. */
  resume(session: string, epoch: number): void
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
  const findUnattended = createUnattendedFinder(services)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOn = false
  let isStopped = false

  const isForReaders = (): boolean => isOn || recovers !== false

  const isFree = ({ owner, hasLapsed }: HeldBy): boolean => hasLapsed || isGone(owner)

  // Only a server of a newer version can continue its runs.
  const isLost = (info: SessionInfo): boolean =>
    !isNewer(info.head ?? '') && (info.lease === undefined ? isRunning(info) : isFree(info.lease))

  const recoverIfLapsed: Recovery['recoverIfLapsed'] = async (session, { isCommand } = {}) => {
    if (isClosing() || services.runs.has(session)) return false
    const info = await store.info(session)
    if (info === undefined || !isLost(info) || isLeft(services, info, isCommand)) return false
    const isRecovered = await recover(services, info)
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
      const taken = await sweepLeases(services, isFree, tryOne)
      for (const session of await findUnattended()) services.carryOutPending(session)
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
    resume: createResume(services, tryOne),
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

/** Creates the function that continues runs which this server left, as soon as the store answers. */
function createResume(
  { store, leaseMs, onError, isClosing }: RunServices,
  tryOne: (session: string) => Promise<boolean>,
): Recovery['resume'] {
  /** Whether the run is not left any more. */
  const isResumed = async (session: string, epoch: number): Promise<boolean> => {
    try {
      const info = await store.info(session)
      return info?.epoch !== epoch || !isRunning(info) || (await tryOne(session))
    } catch (error) {
      onError(error, { session })
      return false
    }
  }

  const resume = async (session: string, epoch: number): Promise<void> => {
    if (isClosing() || (await isResumed(session, epoch))) return
    startIdleTimer(() => void resume(session, epoch), leaseMs / 3)
  }
  return (session, epoch) => void resume(session, epoch)
}

/** Whether a lost run is left to other servers; throws for a command to it. */
function isLeft({ left }: RunServices, info: SessionInfo, isCommand = false): boolean {
  if (!isRunning(info) || !left.isLeft(info)) return false
  if (isCommand) throw leftToOthers(info)
  return true
}

/** Tries all leases that are free, starting with those that lapse first; resolves with the sessions that were taken. */
async function sweepLeases(
  { store, runs, maxActiveRuns }: RunServices,
  isFree: (held: HeldBy) => boolean,
  tryOne: (session: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const taken: string[] = []
  let after: string | undefined
  do {
    const { rows, next } = await store.leases(PAGE, after)
    const free = rows.filter((held) => isFree(held) && !runs.has(held.session))
    for (const { session } of free) if (await tryOne(session)) taken.push(session)
    // Leases of later pages lapse later. Some that are free cannot be taken, and must not hide others.
    after = free.length > 0 && runs.size < maxActiveRuns ? next : undefined
  } while (after !== undefined)
  return taken
}

/** Maximum number of sessions with pending commands that a sweep reads. */
const MAX_UNATTENDED = 3_200

/**
 * Creates a search for sessions with unattended commands other than deliveries that this server holds. Prompts in many of them may wait
 * for answers, and must not hide the others: the next search continues where this one ends.
 */
function createUnattendedFinder({ store, deliveries }: RunServices) {
  let after: string | undefined
  return async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (let read = 0; read < MAX_UNATTENDED; read += PAGE) {
      const { rows, next } = await store.unattended(PAGE, after)
      for (const row of rows) if (!deliveries.holdsAll(row)) found.push(row.session)
      after = next
      if (next === undefined) break
    }
    return found
  }
}

/** The duration, in leases, for which a session is left to servers that offer its agent. */
const LEFT_LEASES = 20
/** Maximum sessions in memory; the oldest are dropped, and left for longer. */
const MAX_SESSIONS = 10_000

interface Left {
  readonly log: string
  readonly epoch: number
  readonly since: Moment
}

/** The sessions that this server leaves to others, because it does not offer their agents. */
export interface LeftSessions {
  /** Whether another server may still offer the agent of a session, so that this one must not end its run or prompts. */
  isLeft(info: SessionInfo): boolean
}

/** Creates the record of sessions that a server leaves to others. */
export function createLeftSessions({
  agents,
  leaseMs,
}: Pick<RunsOptions, 'agents' | 'leaseMs'>): LeftSessions {
  // A Map keeps the order of insertion.
  const found = new Map<string, Left>()
  return {
    isLeft: (info) => {
      const { session, log, epoch } = info
      const head = headOf(info)
      if (head === undefined || findAgent(agents, head) !== undefined) return false
      const known = found.get(session)
      // A server that has opened the session since has begun another wait.
      if (known?.log === log && known.epoch === epoch)
        return ageOf(known.since) < LEFT_LEASES * leaseMs
      found.delete(session)
      found.set(session, { log, epoch, since: currentMoment() })
      const [oldest] = found.keys()
      if (found.size > MAX_SESSIONS && oldest !== undefined) found.delete(oldest)
      return true
    },
  }
}

/** Creates the error for a command to a lost run that is left to other servers. */
function leftToOthers(info: SessionInfo): MillraceError {
  const { agentType = '' } = headOf(info) ?? {}
  return new MillraceError(
    'overloaded',
    `The run of this session was lost, and this server does not offer its agent ${agentType}; another server may. Try again in a moment.`,
    { details: { reason: LEFT } },
  )
}

const LEFT = 'agent_elsewhere'

/** Checks for the error of a session that is left to other servers. */
export function isLeftToOthers(error: MillraceError): boolean {
  return error.details['reason'] === LEFT
}
