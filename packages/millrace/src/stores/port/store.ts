/** A stored frame: its id and the exact bytes of its encoded line. */
export interface LogEntry {
  readonly id: number
  readonly line: Uint8Array
}

/** A numbered text beside the log of a session, in a collection such as `lane:0` or `runs`. Stores do not parse its body. */
export interface Part {
  /** Shared with branches, unless its name begins with {@link OWN_COLLECTION}. */
  readonly collection: string
  /** A whole number from 0 to 2^53 - 1, unique in its collection. */
  readonly number: number
  /** Id of the last frame that the part belongs to. */
  readonly frame: number
  readonly body: string
}

/** A part to remove, or to store in place of the part with its number. */
export type PartChange = Part | (Omit<Part, 'body' | 'frame'> & { readonly body: null })

/** A range of part numbers: those above `after` in ascending order, or those below `before` in descending order. */
export type PartRange =
  | { readonly after: number; readonly limit: number }
  | { readonly before: number; readonly limit: number }

/** A command to submit. Stores do not parse its body. */
export interface NewCommand {
  /** At most 512 characters, unique in its log. */
  readonly key: string
  readonly body: string
}

/** A command in the inbox of a session. It is pending until its effect is stored; then it remains as a receipt. */
export interface Command extends NewCommand {
  /** Position in the inbox, from 1, in the order of submission. */
  readonly seq: number
  readonly isPending: boolean
}

/** A command that the writer of a session adds, or replaces if the key exists. */
export interface CommandChange extends NewCommand {
  readonly isPending: boolean
}

/** Result of a submission. */
export interface Submission {
  /** The command with the key: the submitted one or an earlier one. */
  readonly command: Command
  readonly isNew: boolean
}

/**
 * The right to continue a session's run while the holder renews it. After it lapses, another server may take over the run. The epoch, not
 * the lease, prevents writes of two servers.
 */
export interface Lease {
  /** The holder, such as a node of a cluster. */
  readonly owner: string
  /** Duration from now, by the store's clock. */
  readonly ms: number
}

/** A lease that was not released; it may have lapsed. */
export interface HeldLease {
  readonly session: string
  readonly owner: string
  readonly hasLapsed: boolean
}

/** A session with pending commands and without a lease. */
export interface UnattendedSession {
  readonly session: string
  readonly log: string
  /** Version of the inbox. */
  readonly inbox: number
  /** Number of pending commands. */
  readonly pending: number
}

/** Rows of a list that is read in pages. */
export interface KeyedPage<Row> {
  readonly rows: readonly Row[]
  /** Key of the next page, which the store chooses; absent if this page is the last. */
  readonly next?: string
}

/** The state of a claim after a request for it. */
export interface Claim {
  /** The current holder. */
  readonly holder: string
  /** Milliseconds until the claim lapses. */
  readonly remainingMs: number
}

/** A file or an image of a session. */
export interface StoredFile {
  readonly id: string
  readonly mediaType: string
  readonly filename?: string
  readonly bytes: Uint8Array
}

/** The head of a session and the fence of its log. The cost of reading it does not depend on the length of the session. */
export interface SessionInfo {
  readonly session: string
  /** Random id of the log. A session that is removed and created again gets a new one. */
  readonly log: string
  /** Number of logs under this name; 2 or more if the session was removed within the last 30 days. */
  readonly generation: number
  /** Id of the last frame; 0 for an empty log. */
  readonly tail: number
  /** Id of the earliest stored frame. */
  readonly earliest: number
  readonly epoch: number
  /** Version of the inbox. Each command that is submitted or settled outside an append increments it. */
  readonly inbox: number
  /** Number of pending commands. */
  readonly pending: number
  /** JSON text of the server, at most {@link MAX_HEAD_BYTES} long; undefined until the first one is stored. */
  readonly head: string | undefined
  /** The owner set at creation; null for none. */
  readonly owner: string | null
  /** The fork point; absent if the session is not a branch. */
  readonly parent?: ForkPoint
  /** The lease on its run; absent if there is none. */
  readonly lease?: Omit<HeldLease, 'session'>
}

/** A row in a list of sessions. */
export interface SessionRow {
  readonly session: string
  readonly tail: number
  readonly head: string | undefined
  readonly owner: string | null
}

/** A session as a caller has read it, without a lease. */
export type SeenSession = Pick<SessionInfo, 'log' | 'epoch' | 'tail' | 'inbox'>

/** A page of the session list. */
export interface SessionRange {
  readonly limit: number
  readonly offset: number
  /** Selects the sessions of one owner; if absent, all sessions. */
  readonly owner?: string | undefined
}

/** Rows of a session list, with the total count. */
export interface SessionPage {
  readonly rows: readonly SessionRow[]
  readonly total: number
}

/** The point where a branch leaves its parent. */
export interface ForkPoint {
  /** Name of the parent when the branch was created. */
  readonly session: string
  /** Log that holds the shared frame: the parent's or an ancestor's. */
  readonly log: string
  /** Id of the last shared frame; 0 for none. */
  readonly frame: number
}

/** A branch to create. */
export interface Fork {
  /** The session to fork. */
  readonly from: string
  /** The expected log of the session; compared if given. */
  readonly log?: string
  /** Id of the last frame to share. */
  readonly frame: number
  /** Name of the new session. */
  readonly to: string
  /** Owner of the new session, which may differ from its parent's; none if absent. */
  readonly owner?: string | null
  readonly head: string
  /** The lease of the branch; none if absent. */
  readonly lease?: Lease
  /** Its own parts. They replace shared parts with the same numbers. */
  readonly parts?: readonly Part[]
}

/** A branch of a session. */
export interface Branch {
  readonly session: string
  /** Id of the last shared frame. */
  readonly frame: number
}

/** An atomic append. [LOG-1] [LOG-4] */
export interface Append {
  readonly session: string
  /** The expected log. Another log is treated like a newer writer. */
  readonly log?: string | undefined
  /** The writer's epoch. A higher epoch in the store means that another writer has taken over. */
  readonly epoch: number
  /** The expected id of the last frame. */
  readonly tail: number
  /** The inbox version that the writer has read; compared if given. */
  readonly inbox?: number
  readonly lines: readonly Uint8Array[]
  /** The new head. */
  readonly head?: string
  /** Parts to store or remove, in this order. */
  readonly parts?: readonly PartChange[]
  /** Commands to add or replace. */
  readonly commands?: readonly CommandChange[]
  /** Renews or releases the lease. If absent, the lease continues. */
  readonly lease?: Lease | 'release'
  /** Keeps the place of the session in lists and its idle time, for a conversion to another form. */
  readonly isQuiet?: true
}

/** State of a session after an append. */
export interface Appended {
  readonly tail: number
  /** Version of the inbox, so that every append reports new commands to the writer. */
  readonly inbox: number
}

/** Opens, lists and removes sessions. */
export interface SessionPort {
  /**
   * Makes the caller the writer of a session, and creates the session if there is none. Earlier writers can no longer append, and their
   * lease ends. If `epoch` (0 for no session) is not the session's epoch, throws `lease_lost` and changes nothing: a caller that decides by
   * earlier reads must pass it. `owner` is set at creation only. Throws `bad_request` for an owner that is not 1 to {@link MAX_OWNER_CHARS}
   * characters without control characters.
   */
  open(session: string, lease?: Lease, epoch?: number, owner?: string | null): Promise<SessionInfo>
  /** Reads a session without opening it; undefined if it does not exist. Does not read parts or frames. */
  info(session: string): Promise<SessionInfo | undefined>
  /** Lists all sessions or those of one owner, last created or appended to first. `total` counts all that match. */
  list(range: SessionRange): Promise<SessionPage>
  /**
   * Removes a session with all its data and rejects the waits of its readers; false if there was none. Data that branches share remains
   * until the last branch is removed. With `seen`, removes it only in that state and without a lease.
   */
  remove(session: string, seen?: SeenSession): Promise<boolean>
  /**
   * Removes sessions that had no write for this time, have no lease, and whose head is not kept; no head is kept if `isKept` is absent. Returns their number.
   */
  prune(idleMs: number, isKept?: (head: string | undefined) => boolean): Promise<number>
}

/** Writes and reads the log of a session. */
export interface LogPort {
  /**
   * Stores an append completely or not at all. Throws `lease_lost` if another writer has opened the session or its log is another one;
   * `conflict` if the tail or the inbox differs (`details.inbox` is the inbox version); `not_found` if the session does not exist.
   */
  append(append: Append): Promise<Appended>
  /**
   * Reads up to `limit` stored frames after an id, without waiting for more. Throws `cursor_trimmed` if the next frame is no longer stored,
   * `not_found` if the session does not exist, `log_replaced` if `log` is given and is not the session's log.
   */
  read(session: string, after: number, limit: number, log?: string): Promise<readonly LogEntry[]>
  /**
   * Resolves when there is a frame after an id. Rejects with the signal's reason, with `not_found` if the session does not exist or any
   * process removes it, with `log_replaced` if `log` is given and is not the session's log, with `internal` if the store closes.
   */
  wait(session: string, after: number, signal: AbortSignal, log?: string): Promise<void>
  /**
   * Discards the frames before an id, so that this id is the earliest; an id beyond the tail discards all. Branches can still read frames
   * that they share. Throws `not_found` if the session does not exist.
   */
  trim(session: string, before: number, log?: string): Promise<void>
}

/**
 * Creates branches: sessions that share the log of another session up to a frame, without copying. A branch reads the shared frames with
 * the same ids, parts of shared collections up to the last shared `frame`, and files stored while the log ended at or before it. Name, log
 * id, epoch, lease, inbox, claims and later writes are its own.
 */
export interface BranchPort {
  /**
   * Creates a branch with epoch 1 and with the given lease, if any. The same fork again returns the existing branch. Throws `not_found` and
   * `log_replaced` as `read` does, `conflict` if the name belongs to another session or `frame` is beyond the tail, `cursor_trimmed` if
   * `frame` is no longer stored, `overloaded` beyond {@link MAX_ANCESTORS}.
   */
  fork(fork: Fork): Promise<SessionInfo>
  /** Lists up to `limit` branches that leave the log of this session, in no order; none for an unknown session. `log` as for `read`. */
  branches(session: string, limit: number, log?: string): Promise<readonly Branch[]>
}

/** Reads the parts of a session. Only appends and forks write them. */
export interface PartPort {
  /** Reads a range of a collection; empty for an unknown session or collection. `log` as for `read`. */
  parts(
    session: string,
    collection: string,
    range: PartRange,
    log?: string,
  ): Promise<readonly Part[]>
}

/** Stores commands for the server that runs a session, one for each key. */
export interface InboxPort {
  /**
   * Stores a pending command, unless the log has a command with its key. Needs no epoch. Throws `not_found` if the session does not exist,
   * `log_replaced` if its log is not `log`, `overloaded` if {@link MAX_PENDING} commands are pending.
   */
  submit(session: string, command: NewCommand, log?: string): Promise<Submission>
  /** Ends a pending command and replaces its body; false if no command with this key is pending. Throws as `submit` does. */
  settle(session: string, command: NewCommand, log?: string): Promise<boolean>
  /** Reads the command with a key, pending or not; undefined for an unknown key or session. `log` as for `read`. */
  command(session: string, key: string, log?: string): Promise<Command | undefined>
  /** Lists pending commands in the order of submission; none for an unknown session. `log` as for `read`. */
  pending(session: string, log?: string): Promise<readonly Command[]>
  /**
   * Lists commands, pending or not, with a `seq` above `after` and at most `after + limit`, in the order of submission; none for an unknown
   * session. `log` as for `read`.
   */
  commands(session: string, after: number, limit: number, log?: string): Promise<readonly Command[]>
  /**
   * Lists sessions with pending commands and without a lease, from the start or from the key `after` of an earlier page on. While a session
   * is listed, it must not move to an earlier place, so that the pages together have all sessions that are listed throughout.
   */
  unattended(limit: number, after?: string): Promise<KeyedPage<UnattendedSession>>
  /**
   * Takes a claim of a session, such as a page's claim on a call, for a time by the store's clock, unless another holder's claim has not
   * lapsed. A holder renews its own claim, and releases it with 0 ms. Throws `not_found` if the session does not exist.
   */
  claim(session: string, name: string, holder: string, ms: number): Promise<Claim>
}

/** Renews and lists leases. */
export interface LeasePort {
  /**
   * Renews a lease and returns the inbox version. A released lease stays released, because renewal and release may cross. Throws
   * `lease_lost` if another writer has opened the session or its log is not `log`, `not_found` if it does not exist.
   */
  renew(session: string, epoch: number, lease: Lease, log?: string): Promise<{ inbox: number }>
  /**
   * Lists leases that were not released, in the order in which they lapse, from the start or from the key `after` of an earlier page on.
   * A renewed lease may be in a later page again.
   */
  leases(limit: number, after?: string): Promise<KeyedPage<HeldLease>>
}

/** Stores files of sessions. */
export interface FilePort {
  /** Stores a file, in place of one with the same id. Throws `not_found` if the session does not exist. */
  putFile(session: string, file: StoredFile): Promise<void>
  file(session: string, id: string): Promise<StoredFile | undefined>
  /** Lists the file ids of a session, in no order; none for an unknown session. */
  fileIds(session: string): Promise<readonly string[]>
}

/** Wakes the server that runs a session. Signals are hints: a signal that does not arrive only causes a delay. */
export interface WakePort {
  /** Sends a command to the server that runs a session, in this process or another. There may be no listener. */
  send(session: string, command: string): Promise<void>
  /** Calls a listener for every command sent to any session. Returns a function that removes it. */
  onCommand(listener: (session: string, command: string) => void): () => void
}

/**
 * Storage of sessions. Frame ids are 1, 2, 3 … without gaps, and the bytes of a frame never change. An append is atomic, including its
 * comparison of log, epoch, tail and inbox. A resolved write survives as far as the store's durability promises.
 */
export interface Store
  extends SessionPort, LogPort, BranchPort, PartPort, InboxPort, LeasePort, FilePort, WakePort {
  /** Whether the data outlives this process, so that another process can continue. */
  readonly isDurable: boolean
  /**
   * Resolves if the store can be read and written; otherwise rejects with the reason: after `withinMs` milliseconds with the last failure, although the store still tries.
   */
  ping(withinMs?: number): Promise<void>
  close(): Promise<void>
}
