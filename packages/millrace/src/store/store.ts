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
  close(): Promise<void>
}
