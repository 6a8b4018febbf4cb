import type { LogEntry } from '../store/index.ts'

/** Where a session stands. */
export interface SessionState {
  readonly number: number
  readonly epoch: number
  readonly tail: number
  readonly earliest: number
}

/** A session that was written to of late, with its newest messages. */
export interface LiveSession extends SessionState {
  /** What follows this id is in memory. */
  readonly base: number
  read(after: number, limit: number): readonly LogEntry[]
}

/** What a commit has made of a session. */
export interface Change extends SessionState {
  /** The messages that it added. */
  readonly lines: readonly Uint8Array[]
}

/** The sessions of which the journal has something: all of that, and a little more, is in memory. */
export interface LiveSessions {
  get(name: string): LiveSession | undefined
  publish(name: string, change: Change): void
  /** Forgets what was in pages before, now that what came later is there too. */
  age(earliestOf: ReadonlyMap<string, number>): void
  remove(name: string): void
  clear(): void
}

/** Builds an empty set of sessions. */
export function createLiveSessions(): LiveSessions {
  const sessions = new Map<string, HeldSession>()

  const provide = (name: string, number: number, base: number): HeldSession => {
    const known = sessions.get(name)
    // Another number means that the session was removed and has begun again.
    if (known?.number === number) return known
    const held = createHeldSession(number, base)
    sessions.set(name, held)
    return held
  }

  return {
    get: (name) => sessions.get(name),

    publish: (name, { lines, number, epoch, tail, earliest }) => {
      const held = provide(name, number, tail - lines.length)
      Object.assign(held, { epoch, tail, earliest })
      for (const line of lines) held.lines.push(line)
    },

    age: (earliestOf) => {
      for (const [name, held] of sessions) {
        held.lines.splice(0, held.folded - held.base)
        held.base = held.folded
        held.folded = held.tail
        held.earliest = earliestOf.get(name) ?? held.earliest
        if (held.lines.length === 0) sessions.delete(name)
      }
    },

    remove: (name) => void sessions.delete(name),
    clear: () => sessions.clear(),
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface HeldSession extends Mutable<LiveSession> {
  readonly lines: Uint8Array[]
  /** All up to this id is in pages. */
  folded: number
}

function createHeldSession(number: number, base: number): HeldSession {
  const held: HeldSession = {
    number,
    epoch: 0,
    tail: base,
    earliest: 1,
    base,
    folded: base,
    lines: [],
    read: (after, limit) => {
      const start = after - held.base
      const lines = held.lines.slice(start, start + limit)
      return lines.map((line, index) => ({ id: after + index + 1, line }))
    },
  }
  return held
}
