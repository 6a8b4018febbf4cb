/** Where the parts of one session are. They share a hash tag, so that one script may touch them all on a cluster. */
export interface SessionKeys {
  /** A hash: epoch, writer, tail, record, lease and what else is small. */
  readonly meta: string
  /** A stream whose ids are `0-1`, `0-2`, `0-3` …: the position is the id. */
  readonly log: string
  /** A sorted set of the numbers of conversations, and a hash of what they hold. */
  readonly history: string
  readonly conversations: string
  /** A set of the ids of files. */
  readonly files: string
  /** Stays for a while when the session is removed, so that nobody takes that for a loss. */
  readonly gone: string
  /** The channel on which its tail is told. */
  readonly channel: string
  /** A file's key begins with this, its id follows. */
  readonly filePrefix: string
}

/** The names of all that a store keeps in Redis. */
export interface Keys {
  session(name: string): SessionKeys
  /** Sorted sets of all sessions by their last write, and of leases by when they lapse; in one slot. */
  readonly sessions: string
  readonly leases: string
  /** The channel of commands. */
  readonly commands: string
  /** Written to find out whether Redis takes writes. */
  readonly probe: string
}

const reserved = /[%{}]/g

/** So many sessions have their names at hand: every read, wait and append asks for them. */
const MAX_CACHED = 4_096

/** Builds names under a prefix. A session's name cannot break out of its hash tag. */
export function createKeys(prefix: string): Keys {
  const cached = new Map<string, SessionKeys>()
  return {
    session: (name) => {
      const known = cached.get(name)
      if (known !== undefined) return known
      if (cached.size >= MAX_CACHED) cached.clear()
      const made = toSessionKeys(`${prefix}{${name.replace(reserved, encodeURIComponent)}}:`)
      cached.set(name, made)
      return made
    },
    sessions: `${prefix}{all}:sessions`,
    leases: `${prefix}{all}:leases`,
    commands: `${prefix}{all}:commands`,
    probe: `${prefix}{all}:probe`,
  }
}

function toSessionKeys(base: string): SessionKeys {
  return {
    meta: `${base}meta`,
    log: `${base}log`,
    history: `${base}history`,
    conversations: `${base}conversations`,
    files: `${base}files`,
    gone: `${base}gone`,
    channel: `${base}tail`,
    filePrefix: `${base}file:`,
  }
}
