/** Where the parts of one session are. They share a hash tag, so that one script may touch them all on a cluster. */
export interface SessionKeys {
  /** What they all begin with. */
  readonly base: string
  /** A hash: epoch, writer, tail, head, counts, lease and what else is small. */
  readonly meta: string
  /** A stream whose ids are `0-1`, `0-2`, `0-3` …: the position is the id. */
  readonly log: string
  /** A hash of the frames and bodies of parts, and a sorted set of its fields: collection and number. */
  readonly parts: string
  readonly numbers: string
  /** A hash of commands, the number of `KEY` under `sKEY`, its body under `bKEY` and `KEY` under `kNUMBER`, and a sorted set of pending ones by number. */
  readonly inbox: string
  readonly pending: string
  /** A hash of claims: when they lapse and who holds them. */
  readonly claims: string
  /** Of version 0.1.0: a sorted set of the numbers of conversations, and a hash of what they hold. */
  readonly history: string
  readonly conversations: string
  /** A hash of the branches of the log: the frame and the name of each under the id of its log. */
  readonly pins: string
  /** A set of the ids of files. */
  readonly files: string
  /** Stays for a while when the session is removed: the epoch and the generation from which one of its name counts on. */
  readonly gone: string
  /** The channel on which its tail is told. */
  readonly channel: string
  /** A file's key begins with this, its id follows. */
  readonly filePrefix: string
}

/** The names of all that a store keeps in Redis. */
export interface Keys {
  session(name: string): SessionKeys
  /** Where the log of a session is kept that was removed before its branches. */
  kept(name: string, log: string): SessionKeys
  /** Drops the cached names of a session that was removed. */
  forget(name: string): void
  /** Sorted sets in one slot: all sessions by their last write, leases by when they lapse, sessions with pending commands and no lease. */
  readonly sessions: string
  /** A sorted set of the sessions of one owner by their last write, beside that of all sessions. */
  ownedBy(owner: string): string
  readonly leases: string
  readonly waiting: string
  /** The leases of version 0.1.0, which would drop those of others from a set that it knows. */
  readonly oldLeases: string
  /** A sorted set of changes of pins that are under way, by when they began. */
  readonly links: string
  /** The channel of commands. */
  readonly commands: string
  /** The random id of this store, by which Redis with other data is known. */
  readonly store: string
  /** Written to find out whether Redis takes writes. */
  readonly probe: string
}

const reserved = /[%{}]/g

/** So many sessions have their names at hand: every read, wait and append asks for them. */
const MAX_CACHED = 4_096

/** Builds names under a prefix. A session's name cannot break out of its hash tag. */
export function createKeys(prefix: string): Keys {
  const cached = new Map<string, SessionKeys>()
  const toBase = (name: string): string =>
    `${prefix}{${name.replace(reserved, encodeURIComponent)}}:`
  return {
    session: (name) => {
      const known = cached.get(name)
      if (known !== undefined) return known
      if (cached.size >= MAX_CACHED) cached.clear()
      const made = toSessionKeys(toBase(name))
      cached.set(name, made)
      return made
    },
    kept: (name, log) => toSessionKeys(`${toBase(name)}kept:${log}:`),
    forget: (name) => void cached.delete(name),
    sessions: `${prefix}{all}:sessions`,
    ownedBy: (owner) => `${prefix}{all}:sessions:${owner}`,
    leases: `${prefix}{all}:held`,
    waiting: `${prefix}{all}:waiting`,
    oldLeases: `${prefix}{all}:leases`,
    links: `${prefix}{all}:links`,
    commands: `${prefix}{all}:commands`,
    store: `${prefix}{all}:store`,
    probe: `${prefix}{all}:probe`,
  }
}

function toSessionKeys(base: string): SessionKeys {
  return {
    base,
    meta: `${base}meta`,
    log: `${base}log`,
    parts: `${base}parts`,
    numbers: `${base}numbers`,
    inbox: `${base}inbox`,
    pending: `${base}pending`,
    claims: `${base}claims`,
    history: `${base}history`,
    conversations: `${base}conversations`,
    pins: `${base}pins`,
    files: `${base}files`,
    gone: `${base}gone`,
    channel: `${base}tail`,
    filePrefix: `${base}file:`,
  }
}
