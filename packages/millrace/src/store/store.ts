/** One stored message of a session: its id and the exact bytes of its encoded line. */
export interface LogEntry {
  readonly id: number
  readonly line: Uint8Array
}

/** What a session remembers besides its log, as one JSON text that the server writes and reads. */
export interface SessionRecord {
  readonly json: string
  /** A short JSON text for lists, so that a list need not read whole records. */
  readonly summary: string
}

/** The right to carry on a session's run, for as long as its holder renews it. It permits a take-over once it has lapsed; safety rests on the epoch. */
export interface Lease {
  /** Who holds it, such as a node of a cluster. */
  readonly owner: string
  /** How long it lasts from now, by the store's own clock. */
  readonly ms: number
}

/** A lease that someone holds, or held when they were last heard of. */
export interface HeldLease {
  readonly session: string
  readonly owner: string
  readonly hasLapsed: boolean
}

/** One run of a session that is over, as the history tells it. */
export interface Conversation {
  /** Counts from 1 in each session. */
  readonly number: number
  readonly json: string
}

/** A file or an image of a session. */
export interface StoredFile {
  readonly id: string
  readonly mediaType: string
  readonly filename?: string
  readonly bytes: Uint8Array
}

/** The state of a session's log. */
export interface SessionInfo {
  readonly session: string
  /** The id of the last message; 0 for an empty log. */
  readonly tail: number
  /** The id of the earliest message still kept. */
  readonly earliest: number
  readonly epoch: number
  readonly record: SessionRecord | undefined
  /** Who carries on its run; absent if nobody does. */
  readonly lease?: Omit<HeldLease, 'session'>
}

/** One row of a list of sessions. */
export interface SessionRow {
  readonly session: string
  readonly tail: number
  readonly summary: string | undefined
}

/** A part of the list of sessions, and how many there are in all. */
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  readonly total: number
}

/** What one atomic append does. [LOG-1] [LOG-4] */
export interface Append {
  readonly session: string
  /** The writer's epoch; another writer has taken over when the store's is higher. */
  readonly epoch: number
  /** The id that the writer believes is last. */
  readonly tail: number
  readonly lines: readonly Uint8Array[]
  /** Replaces the record in the same step as the lines are stored. */
  readonly record?: SessionRecord
  /** Adds to the history in the same step, or replaces what has that number. */
  readonly conversation?: Conversation
  /** Renews the lease in the same step, or gives it up; without it the lease runs on. */
  readonly lease?: Lease | 'release'
}

/**
 * Where sessions live. Ids are 1, 2, 3 … without holes; the bytes under an id never change; an append is
 * all or nothing and is compared with epoch and tail atomically; what `append` has resolved survives as
 * long as the store promises.
 */
export interface Store {
  /** Whether what it keeps outlives this process, so that another one can carry on. */
  readonly isDurable: boolean
  /**
   * Becomes the writer of a session, which ends the right of any earlier one to append, and ends their lease; makes
   * the session if there is none. With `epoch`, which is 0 for no session, throws `lease_lost` and changes nothing if
   * somebody has opened or removed it since it had that epoch: who decides by what they have read pass it.
   */
  open(session: string, lease?: Lease, epoch?: number): Promise<SessionInfo>
  /** Looks without becoming the writer; undefined if the session was never opened. */
  info(session: string): Promise<SessionInfo | undefined>
  /**
   * Resolves with the new tail. Throws `lease_lost` if another writer has opened the session, `conflict` if the
   * tail differs, `not_found` if the session is gone.
   */
  append(append: Append): Promise<number>
  /**
   * Up to `limit` messages after an id, at once; fewer, or none, at the tail. Throws `cursor_trimmed` if the next
   * message is no longer kept, `not_found` if there is no such session.
   */
  read(session: string, after: number, limit: number): Promise<readonly LogEntry[]>
  /**
   * Resolves when there is a message after this id; rejects with the signal's reason, with `not_found` if there
   * is no such session, with `internal` if the store closes.
   */
  wait(session: string, after: number, signal: AbortSignal): Promise<void>
  /** The sessions, the one written to last first. */
  list(range: { readonly limit: number; readonly offset: number }): Promise<SessionPage>
  /**
   * Renews a lease; one that was given up stays given up, as the two may cross. Throws `lease_lost` if another writer
   * has opened the session, `not_found` if it is gone.
   */
  renew(session: string, epoch: number, lease: Lease): Promise<void>
  /** Leases that were not given up, those that lapse first first. */
  leases(limit: number): Promise<readonly HeldLease[]>
  /** Up to `limit` conversations with a number below `before`, the newest first; none for an unknown session. */
  conversations(
    session: string,
    range: { readonly before?: number; readonly limit: number },
  ): Promise<readonly Conversation[]>
  /** Keeps a file; `not_found` if there is no such session. The same id again replaces it. */
  putFile(session: string, file: StoredFile): Promise<void>
  file(session: string, id: string): Promise<StoredFile | undefined>
  /** The ids of all files of a session, in no order; none for an unknown session. */
  fileIds(session: string): Promise<readonly string[]>
  /** Forgets a session with all that belongs to it and dismisses its readers; false if there was none. */
  remove(session: string): Promise<boolean>
  /** Removes sessions that nobody has written to for this long and nobody holds a lease on; resolves with how many. */
  prune(idleMs: number): Promise<number>
  /** Tells something to whoever runs a session, in this process or another; nobody may be listening. */
  send(session: string, command: string): Promise<void>
  /** Hears what is sent, of all sessions; gives what ends it. */
  onCommand(listener: (session: string, command: string) => void): () => void
  /** Resolves if the store can be read and written, rejects with what is wrong. */
  ping(): Promise<void>
  close(): Promise<void>
}
