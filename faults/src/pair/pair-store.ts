/** The owner of a session, as recorded in the store. */
export interface Holding {
  readonly session: string
  readonly epoch: number
  readonly tail: number
  /** The process that holds the lease; undefined without one. */
  readonly pid: number | undefined
  /** Whether the session is closed because the store has lost a part of it. */
  readonly isLost: boolean
}

/** A session as recorded in its store. */
export interface StoredLog extends Holding {
  /** The last frame before each epoch, the first epoch first. */
  readonly begins: readonly number[]
  /** The frames from 1 on. */
  readonly lines: readonly string[]
}

/** A store that several servers share, with direct access to its data. */
export interface PairStore {
  readonly title: string
  /** The address for servers, in the form of `MILLRACE_STORE`. */
  readonly address: string
  /** Prepares the direct access, once a server has set up the store. */
  prepare(): Promise<void>
  /** Returns the owner of each of several sessions; `epoch` is not a number for a missing one. */
  holdings(sessions: readonly string[]): Promise<readonly Holding[]>
  /** Reads a session; throws if an id is not the next one. */
  log(session: string): Promise<StoredLog>
  /** Ends it without notice to clients, changes its files with the function, if given, and starts it again. */
  crash(between?: () => Promise<void>): Promise<void>
  /** Releases its waiters: it will not return. */
  letGo(): void
  stop(): Promise<void>
}

/** The process in the name of an owner, host:pid:startTime. */
export function pidOf(owner: string | null | undefined): number | undefined {
  return owner === null || owner === undefined ? undefined : Number(owner.split(':').at(-2))
}
