import type { LogEntry } from '../../port/index.ts'
import { type Extent, Extents } from '../log/extents.ts'
import type { SharedLog } from '../log/shared-logs.ts'

/** The state of a session that each append compares and changes. */
export interface SessionState {
  readonly number: number
  readonly log: string
  readonly generation: number
  readonly owner: string | null
  /** Its fork point, if it is a branch. */
  readonly parent: SharedLog | undefined
  readonly epoch: number
  readonly tail: number
  readonly earliest: number
  readonly inbox: number
}

/** A recently written session with its newest frames. */
interface LiveSession extends SessionState {
  /** Frames after this id are in memory. */
  readonly base: number
  /** These frames, in rows of the journal. */
  readonly extents: Extents
  read(after: number, limit: number): readonly LogEntry[]
}

interface Change extends SessionState {
  readonly extents: readonly Extent[]
  /** Time of its last journal entry, unless it was folded since. */
  readonly journaledAt: number | undefined
}

/** A session with journal entries that are not in pages. */
export interface UnfoldedSession {
  readonly number: number
  /** Id before the first of these frames, some of which may be in pages. */
  readonly base: number
  readonly extents: Extents
  readonly writtenAt: number
}

/** Sessions with journal entries. All of these, and some older frames, are in memory. */
export type LiveSessions = ReturnType<typeof createLiveSessions>

/** Creates the sessions in memory, without entries. */
export function createLiveSessions() {
  const sessions = new Map<string, HeldSession>()
  const unfolded = new Map<string, HeldSession>()

  const remove = (name: string): void => {
    sessions.delete(name)
    unfolded.delete(name)
  }

  return {
    get: (name: string): LiveSession | undefined => sessions.get(name),

    /** Returns the sessions written since the last fold, by name, in the order of their last write. */
    unfolded: (): ReadonlyMap<string, UnfoldedSession> => unfolded,

    publish: (name: string, change: Change) => {
      const known = sessions.get(name)
      // Another number means that the session was removed and created again.
      const held = known?.number === change.number ? known : new HeldSession(change)
      if (held !== known) sessions.set(name, held)
      held.add(change)
      if (change.journaledAt === undefined) return
      // Keys of a Map keep their insertion order.
      unfolded.delete(name)
      unfolded.set(name, held)
    },

    /** Drops the frames that were in pages before the last fold. */
    age: (earliestOf: ReadonlyMap<string, number>) => {
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
  /** Frames up to this id were in pages at the last fold. */
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
