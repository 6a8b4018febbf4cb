/** One stored message of a session: its id and the exact bytes of its encoded line. */
export interface LogEntry {
  readonly id: number
  readonly line: Uint8Array
}

/** What a session remembers besides its log, as one JSON text that the server writes and reads. */
export interface SessionRecord {
  readonly json: string
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
}

/**
 * Where sessions live. Ids are 1, 2, 3 … without holes; the bytes under an id never change; an append is
 * all or nothing and is compared with epoch and tail atomically; what `append` has resolved survives as
 * long as the store promises.
 */
export interface Store {
  /** Becomes the writer of a session, which ends the right of any earlier one to append. */
  open(session: string): Promise<SessionInfo>
  /** Looks without becoming the writer; undefined if the session was never opened. */
  info(session: string): Promise<SessionInfo | undefined>
  /** Throws `lease_lost` if another writer has opened the session, `conflict` if the tail differs. */
  append(append: Append): Promise<number>
  /** Up to `limit` messages after an id, at once; fewer, or none, at the tail. */
  read(session: string, after: number, limit: number): Promise<readonly LogEntry[]>
  /** Resolves when there is a message after this id, or rejects with the signal's reason. */
  wait(session: string, after: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
