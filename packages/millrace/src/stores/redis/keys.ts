/** Keys of a session. They share a hash tag, so that one script may use them all on a cluster. */
export interface SessionKeys {
  /** Their common prefix. */
  readonly base: string
  /** A hash: epoch, writer, tail, head, counts, lease and other small fields. */
  readonly meta: string
  /** A stream whose ids are `0-1`, `0-2`, `0-3` …: the position is the id. */
  readonly log: string
  /** A hash of the frames and bodies of parts, and a sorted set of its fields: collection and number. */
  readonly parts: string
  readonly numbers: string
  /** A hash of commands, the number of `KEY` under `sKEY`, its body under `bKEY` and `KEY` under `kNUMBER`, and a sorted set of pending ones by number. */
  readonly inbox: string
  readonly pending: string
  /** A hash of claims: times of lapse and holders. */
  readonly claims: string
  /** Data of version 0.1.0: a sorted set of conversation numbers, and a hash of conversations. */
  readonly history: string
  readonly conversations: string
  /** A hash of the branches of the log: frame and name of each under its log id. */
  readonly pins: string
  readonly files: string
  /** Remains for a limited time after a removal: the epoch and generation that the next session of the name continues. */
  readonly gone: string
  /** Channel on which the tail is published. */
  readonly channel: string
  /** Prefix of the keys of files; the file id follows. */
  readonly filePrefix: string
}

/** The names of all keys and channels of a store. */
export type Keys = ReturnType<typeof createKeys>

const reserved = /[%{}]/g

/** Maximum number of sessions with cached keys, which every read, wait and append uses. */
const MAX_CACHED = 4_096

/** Creates keys with a prefix. A session's name cannot leave its hash tag. */
export function createKeys(prefix: string) {
  const cached = new Map<string, SessionKeys>()
  const toBase = (name: string): string =>
    `${prefix}{${name.replace(reserved, encodeURIComponent)}}:`
  return {
    session: (name: string): SessionKeys => {
      const known = cached.get(name)
      if (known !== undefined) return known
      if (cached.size >= MAX_CACHED) cached.clear()
      const made = toSessionKeys(toBase(name))
      cached.set(name, made)
      return made
    },
    /** Returns the keys of a log that was removed before its branches. */
    kept: (name: string, log: string): SessionKeys => toSessionKeys(`${toBase(name)}kept:${log}:`),
    /** Drops the cached keys of a removed session. */
    forget: (name: string) => void cached.delete(name),
    /** Sorted sets in one slot: all sessions by last write, leases by time of lapse, and sessions with pending commands and no lease. */
    sessions: `${prefix}{all}:sessions`,
    /** Returns the sorted set of an owner's sessions by last write, beside that of all sessions. */
    ownedBy: (owner: string): string => `${prefix}{all}:sessions:${owner}`,
    leases: `${prefix}{all}:held`,
    waiting: `${prefix}{all}:waiting`,
    /** The leases of version 0.1.0, which would drop unknown leases from its own set. */
    oldLeases: `${prefix}{all}:leases`,
    /** A sorted set of pending pin changes, by start time. */
    links: `${prefix}{all}:links`,
    commands: `${prefix}{all}:commands`,
    /** The random id of this store. It detects a Redis with other data. */
    store: `${prefix}{all}:store`,
    /** A key that is written to test whether Redis accepts writes. */
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
