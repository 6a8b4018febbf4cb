/** One stored frame of a log: its id and the exact bytes of its encoded line. */
export interface LogEntry {
  readonly id: number
  readonly line: Uint8Array
}

/**
 * A numbered text that a session keeps beside its log, in a collection such as `lane:0` or `runs`. A store does not read
 * its body.
 */
export interface Part {
  /** Branches share it, unless its name begins with {@link OWN_COLLECTION}. */
  readonly collection: string
  /** A whole number from 0 to 2^53 - 1, unique in its collection. */
  readonly number: number
  /** The last frame that the part belongs to. */
  readonly frame: number
  readonly body: string
}

/** A part to put, in place of the one that has its number, or to remove. */
export type PartChange = Part | (Omit<Part, 'body' | 'frame'> & { readonly body: null })

/** Which parts of a collection are read: numbers above `after` ascending, or numbers below `before` descending. */
export type PartRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number }

/** A command as it is submitted. A store does not read its body. */
export interface NewCommand {
  /** At most 512 characters, unique in its log. */
  readonly key: string
  readonly body: string
}

/** A command in the inbox of a session: pending until its effect is stored, then kept as a receipt. */
export interface Command extends NewCommand {
  /** The position in the inbox, from 1, in the order of submission. */
  readonly seq: number
  readonly isPending: boolean
}

/** A command that the writer of a session adds, or changes if the key is known. */
export interface CommandChange extends NewCommand {
  readonly isPending: boolean
}

/** The outcome of a submission. */
export interface Submission {
  /** The command that has the key: the submitted one, or the one that was there before. */
  readonly command: Command
  readonly isNew: boolean
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

/** A claim as a store grants or refuses it. */
export interface Claim {
  /** Who holds it now. */
  readonly holder: string
  /** Milliseconds until it lapses. */
  readonly remainingMs: number
}

/** A file or an image of a session. */
export interface StoredFile {
  readonly id: string
  readonly mediaType: string
  readonly filename?: string
  readonly bytes: Uint8Array
}

/** The head of a session and the fence of its log. Reading it costs the same however long the session is. */
export interface SessionInfo {
  readonly session: string
  /** The id of the log, drawn at random when the session was made: a session that is removed and begins again has another. */
  readonly log: string
  /** Counts the logs that the session has had under this name: 2 or more if it was removed within the last 30 days. */
  readonly generation: number
  /** The id of the last frame; 0 for an empty log. */
  readonly tail: number
  /** The id of the earliest frame still kept. */
  readonly earliest: number
  readonly epoch: number
  /** Grows by 1 with each command that is submitted or settled from outside of an append. */
  readonly inbox: number
  /** How many commands are pending. */
  readonly pending: number
  /** The server's own JSON text, at most {@link MAX_HEAD_BYTES} long; undefined until the first one is stored. */
  readonly head: string | undefined
  /** The owner that the session was created with; null if it has none. */
  readonly owner: string | null
  /** Where it leaves its parent; absent if it is no branch. */
  readonly parent?: ForkPoint
  /** Who carries on its run; absent if nobody does. */
  readonly lease?: Omit<HeldLease, 'session'>
}

/** One row of a list of sessions. */
export interface SessionRow {
  readonly session: string
  readonly tail: number
  readonly head: string | undefined
  readonly owner: string | null
}

/** Which sessions are listed. */
export interface SessionRange {
  readonly limit: number
  readonly offset: number
  /** Only the sessions of this owner; those of all owners and of none if absent. */
  readonly owner?: string | undefined
}

/** A part of the list of sessions, and how many there are in all. */
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  readonly total: number
}

/** The place at which a branch leaves its parent. */
export interface ForkPoint {
  /** The name that the parent had when the branch was created. */
  readonly session: string
  /** The log that holds the shared frame: the parent's, or that of an ancestor. */
  readonly log: string
  /** The last frame that both share; 0 if they share none. */
  readonly frame: number
}

/** A branch to create. */
export interface Fork {
  /** The session that it branches off from. */
  readonly from: string
  /** The log that the caller means; compared if it is given. */
  readonly log?: string
  /** The last frame to share. */
  readonly frame: number
  /** The name of the new session. */
  readonly to: string
  /** The owner of the new session, which need not be that of its parent; none if absent. */
  readonly owner?: string | null
  readonly head: string
  /** Parts of its own, in place of shared ones that have their numbers. */
  readonly parts?: readonly Part[]
}

/** A session that branches off from another one. */
export interface Branch {
  readonly session: string
  /** The last frame that it shares. */
  readonly frame: number
}

/** What one atomic append does. [LOG-1] [LOG-4] */
export interface Append {
  readonly session: string
  /** The log that the writer means; a session that has begun again is refused like a newer writer. */
  readonly log?: string
  /** The writer's epoch; another writer has taken over when the store's is higher. */
  readonly epoch: number
  /** The id that the writer believes is last. */
  readonly tail: number
  /** The version of the inbox that the writer has seen; compared only if it is given. */
  readonly inbox?: number
  readonly lines: readonly Uint8Array[]
  /** Replaces the head. */
  readonly head?: string
  /** Parts to put or remove, in this order. */
  readonly parts?: readonly PartChange[]
  /** Commands to add or change. */
  readonly commands?: readonly CommandChange[]
  /** Renews the lease, or gives it up; without it the lease runs on. */
  readonly lease?: Lease | 'release'
}

/** A session after an append. */
export interface Appended {
  readonly tail: number
  /** The version of the inbox, so that a writer learns of commands with every append. */
  readonly inbox: number
}

/** Opens, lists and removes sessions. */
export interface SessionPort {
  /**
   * Becomes the writer of a session, which ends the right of any earlier one to append, and ends their lease; makes
   * the session if there is none. With `epoch`, which is 0 for no session, throws `lease_lost` and changes nothing if
   * somebody has opened or removed it since it had that epoch: who decides by what they have read pass it. A session that is
   * made here belongs to `owner` from then on; one that is there keeps the owner it has. Throws `bad_request` for an owner that is
   * not 1 to {@link MAX_OWNER_CHARS} characters without control characters.
   */
  open(session: string, lease?: Lease, epoch?: number, owner?: string | null): Promise<SessionInfo>
  /** Looks without becoming the writer; undefined if the session was never opened. Never reads parts or frames. */
  info(session: string): Promise<SessionInfo | undefined>
  /** The sessions, all or those of one owner, the one written to last first; `total` counts the same ones. */
  list(range: SessionRange): Promise<SessionPage>
  /**
   * Removes a session with all that belongs to it and dismisses its readers; false if there was none. Keeps what its branches
   * share until the last of them is removed.
   */
  remove(session: string): Promise<boolean>
  /** Removes sessions that nobody has written to for this long and nobody holds a lease on; resolves with how many. */
  prune(idleMs: number): Promise<number>
}

/** Writes and reads the log of a session. */
export interface LogPort {
  /**
   * Stores all of an append, or nothing. Throws `lease_lost` if another writer has opened the session or it has another log,
   * `conflict` if the tail differs, or the inbox (then `details.inbox` is its version), `not_found` if the session is gone.
   */
  append(append: Append): Promise<Appended>
  /**
   * Up to `limit` frames after an id, at once; fewer, or none, at the tail. Throws `cursor_trimmed` if the next
   * frame is no longer kept, `not_found` if there is no such session, `log_replaced` if `log` is given and the
   * session has another log.
   */
  read(session: string, after: number, limit: number, log?: string): Promise<readonly LogEntry[]>
  /**
   * Resolves when there is a frame after this id; rejects with the signal's reason, with `not_found` if there
   * is no such session, also when it is removed by another process, with `log_replaced` if `log` is given and the
   * session has another log, with `internal` if the store closes.
   */
  wait(session: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /**
   * Gives up the frames of a session before an id, as if that were `earliest`; an id beyond the tail gives up all. Frames that a
   * branch shares stay readable there. Throws `not_found` if there is no such session.
   */
  trim(session: string, before: number, log?: string): Promise<void>
}

/**
 * Creates branches: sessions that share the log of another one up to a frame, without copying. A branch reads the shared
 * frames under their ids, the parts of shared collections whose `frame` is not above the last shared one, and the files that were
 * kept before the log went beyond it. All else is its own: name, log id, epoch, lease, inbox, claims, and what is written from there on.
 */
export interface BranchPort {
  /**
   * Creates a branch, with epoch 1 and without a lease. The same fork again changes nothing and gives the branch as it is. Throws
   * `not_found` and `log_replaced` as `read` does, `conflict` if the session of this name is another one or `frame` is
   * beyond the tail, `cursor_trimmed` if `frame` is not kept any more, `overloaded` beyond {@link MAX_ANCESTORS}.
   */
  fork(fork: Fork): Promise<SessionInfo>
  /**
   * Up to `limit` sessions whose fork point is in the log of this one, in no order; none for an unknown session. `log` as for
   * `read`.
   */
  branches(session: string, limit: number, log?: string): Promise<readonly Branch[]>
}

/** Reads the parts of a session; only an append writes them. */
export interface PartPort {
  /** Parts of a collection in a range; none for an unknown session or collection. `log` as for `read`. */
  parts(
    session: string,
    collection: string,
    range: PartRange,
    log?: string,
  ): Promise<readonly Part[]>
}

/** Stores commands for whoever runs a session, each key once. */
export interface InboxPort {
  /**
   * Stores a command as pending, unless the log has one with its key. Needs no epoch. Throws `not_found` if there is no such
   * session, `log_replaced` if it has another log than `log`, `overloaded` if {@link MAX_PENDING} commands are pending.
   */
  submit(session: string, command: NewCommand, log?: string): Promise<Submission>
  /** Ends a pending command and replaces its body; false if none of this key is pending. Throws as `submit` does. */
  settle(session: string, command: NewCommand, log?: string): Promise<boolean>
  /** The command that has a key, pending or not; undefined for an unknown key or session. `log` as for `read`. */
  command(session: string, key: string, log?: string): Promise<Command | undefined>
  /** The pending commands in the order of submission; none for an unknown session. `log` as for `read`. */
  pending(session: string, log?: string): Promise<readonly Command[]>
  /**
   * Commands, pending or not, whose `seq` is above `after` and at most `after + limit`, in the order of submission; none for an
   * unknown session. `log` as for `read`.
   */
  commands(session: string, after: number, limit: number, log?: string): Promise<readonly Command[]>
  /** Sessions with pending commands that nobody holds a lease on, in no order. */
  unattended(limit: number): Promise<readonly string[]>
  /**
   * Takes a claim of a session, such as that of one page on one call, for so long by the store's clock, unless another holder's
   * has not lapsed; renews one's own, and gives it up with 0 ms. Throws `not_found` if there is no such session.
   */
  claim(session: string, name: string, holder: string, ms: number): Promise<Claim>
}

/** Holds leases. */
export interface LeasePort {
  /**
   * Renews a lease; one that was given up stays given up, as the two may cross. Resolves with the version of the inbox. Throws
   * `lease_lost` if another writer has opened the session or it has another log than `log`, `not_found` if it is gone.
   */
  renew(session: string, epoch: number, lease: Lease, log?: string): Promise<{ inbox: number }>
  /** Leases that were not given up, those that lapse first first. */
  leases(limit: number): Promise<readonly HeldLease[]>
}

/** Keeps the files of sessions. */
export interface FilePort {
  /** Keeps a file; `not_found` if there is no such session. The same id again replaces it. */
  putFile(session: string, file: StoredFile): Promise<void>
  file(session: string, id: string): Promise<StoredFile | undefined>
  /** The ids of all files of a session, in no order; none for an unknown session. */
  fileIds(session: string): Promise<readonly string[]>
}

/** Wakes the server that runs a session. A hint: nothing depends on its arrival. */
export interface WakePort {
  /** Tells something to whoever runs a session, in this process or another; nobody may be listening. */
  send(session: string, command: string): Promise<void>
  /** Hears what is sent, of all sessions; gives what ends it. */
  onCommand(listener: (session: string, command: string) => void): () => void
}

/**
 * Where sessions live. Ids are 1, 2, 3 … without holes; the bytes under an id never change; an append is
 * all or nothing and is compared with log, epoch, tail and inbox atomically; what has resolved survives as
 * long as the store promises.
 */
export interface Store
  extends SessionPort, LogPort, BranchPort, PartPort, InboxPort, LeasePort, FilePort, WakePort {
  /** Whether what it keeps outlives this process, so that another one can carry on. */
  readonly isDurable: boolean
  /** Resolves if the store can be read and written, rejects with what is wrong. */
  ping(): Promise<void>
  close(): Promise<void>
}
