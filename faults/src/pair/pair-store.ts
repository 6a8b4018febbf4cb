/** The owner of a session, as recorded in the store. */
export interface Holding {
  readonly session: string
  readonly epoch: number
  readonly tail: number
  /** The process that holds the lease; undefined if nobody does. */
  readonly pid: number | undefined
  /** Whether the session is closed because something of it was lost. */
  readonly isLost: boolean
}

/** A session as recorded in its store. */
export interface StoredLog extends Holding {
  /** After which message each epoch began, the first first. */
  readonly begins: readonly number[]
  /** The messages from 1 on. */
  readonly lines: readonly string[]
}

/** A store that several servers share, with a look at it that does not go through them. */
export interface PairStore {
  readonly title: string
  /** Where servers find it, as `MILLRACE_STORE` takes it. */
  readonly address: string
  /** Prepares the look at it, once a server has made what it needs. */
  prepare(): Promise<void>
  /** Returns the owner of each of several sessions; `epoch` is not a number for a missing one. */
  holdings(sessions: readonly string[]): Promise<readonly Holding[]>
  /** Reads a session; throws if an id is not the next one. */
  log(session: string): Promise<StoredLog>
  /** Ends it without a word to anyone and starts it again with what is on disk, or what is made of that in between. */
  crash(between?: () => Promise<void>): Promise<void>
  /** Releases its waiters: it will not return. */
  letGo(): void
  stop(): Promise<void>
}

/** The process in the name of an owner, host:pid:startTime. */
export function pidOf(owner: string | null | undefined): number | undefined {
  return owner === null || owner === undefined ? undefined : Number(owner.split(':').at(-2))
}
