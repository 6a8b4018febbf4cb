import type { LogEntry } from '../../port/index.ts'
import { type Extent, Extents } from '../log/extents.ts'
import type { SharedLog } from '../log/shared-logs.ts'

/** Where a session stands. */
export interface SessionState {
  readonly number: number
  readonly log: string
  readonly generation: number
  readonly owner: string | null
  /** Where it leaves its parent, if it is a branch. */
  readonly parent: SharedLog | undefined
  readonly epoch: number
  readonly tail: number
  readonly earliest: number
  /** The version of the inbox. */
  readonly inbox: number
}

/** A session that was written to of late, with its newest messages. */
export interface LiveSession extends SessionState {
  /** What follows this id is in memory. */
  readonly base: number
  /** These messages, where they lie in rows of the journal. */
  readonly extents: Extents
  read(after: number, limit: number): readonly LogEntry[]
}

/** What a commit has made of a session. */
export interface Change extends SessionState {
  /** The messages that it added. */
  readonly extents: readonly Extent[]
  /** When the journal was last told of it, if it was not folded since. */
  readonly journaledAt: number | undefined
}

/** A session of which the journal has something that is in no page yet. */
export interface UnfoldedSession {
  readonly number: number
  /** The id before the first of these messages, some of which may be in pages. */
  readonly base: number
  readonly extents: Extents
  readonly writtenAt: number
}

/** The sessions of which the journal has something: all of that, and a little more, is in memory. */
export interface LiveSessions {
  get(name: string): LiveSession | undefined
  /** Those that were written to since the journal was folded, by name, the latest one at the end. */
  unfolded(): ReadonlyMap<string, UnfoldedSession>
  publish(name: string, change: Change): void
  /** Forgets what was in pages before, now that what came later is there too. */
  age(earliestOf: ReadonlyMap<string, number>): void
  remove(name: string): void
  clear(): void
}

/** Builds an empty set of sessions. */
export function createLiveSessions(): LiveSessions {
  const sessions = new Map<string, HeldSession>()
  const unfolded = new Map<string, HeldSession>()

  const remove = (name: string): void => {
    sessions.delete(name)
    unfolded.delete(name)
  }

  return {
    get: (name) => sessions.get(name),

    unfolded: () => unfolded,

    publish: (name, change) => {
      const known = sessions.get(name)
      // Another number means that the session was removed and has begun again.
      const held = known?.number === change.number ? known : new HeldSession(change)
      if (held !== known) sessions.set(name, held)
      held.add(change)
      if (change.journaledAt === undefined) return
      // A Map keeps the order in which keys were set.
      unfolded.delete(name)
      unfolded.set(name, held)
    },

    age: (earliestOf) => {
      for (const [name, held] of sessions) {
        held.age(earliestOf.get(name))
        if (held.isEmpty()) sessions.delete(name)
      }
      unfolded.clear()
    },

    remove,

    clear: () => {
      sessions.clear()
      unfolded.clear()
    },
  }
}

class HeldSession implements LiveSession, UnfoldedSession {
  readonly number: number
  readonly log: string
  readonly generation: number
  readonly owner: string | null
  readonly parent: SharedLog | undefined
  epoch = 0
  tail: number
  earliest = 1
  inbox = 0
  base: number
  writtenAt = 0
  readonly extents = new Extents()
  /** All up to this id was in pages when the journal was last folded. */
  #folded: number

  constructor({ number, log, generation, owner, parent, tail, extents }: Change) {
    this.number = number
    this.log = log
    this.generation = generation
    this.owner = owner
    this.parent = parent
    this.base = tail - extents.reduce((sum, { count }) => sum + count, 0)
    this.tail = this.base
    this.#folded = this.base
  }

  add({ epoch, tail, earliest, inbox, extents, journaledAt }: Change): void {
    this.epoch = epoch
    this.tail = tail
    this.earliest = earliest
    this.inbox = inbox
    this.writtenAt = journaledAt ?? this.writtenAt
    for (const extent of extents) this.extents.add(extent)
  }

  age(earliest = this.earliest): void {
    this.extents.dropFirst(this.#folded - this.base)
    this.base = this.#folded
    this.#folded = this.tail
    this.earliest = earliest
  }

  isEmpty(): boolean {
    return this.tail === this.base
  }

  read(after: number, limit: number): readonly LogEntry[] {
    const lines = this.extents.read(after - this.base, limit)
    return lines.map((line, index) => ({ id: after + index + 1, line }))
  }
}
