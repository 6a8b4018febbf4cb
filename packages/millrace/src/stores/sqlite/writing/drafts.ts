import { createLogId, sessionUnknown } from '../../port/index.ts'
import { checkName } from '../check-name.ts'
import type { Statements } from '../file/connection.ts'
import type { Extent } from '../log/extents.ts'
import { findSession } from '../reading/find-session.ts'
import type { LiveSessions, SessionState } from '../reading/live-sessions.ts'
import { toOwnerColumns } from '../reading/owner-columns.ts'
import type { SharedLog } from '../log/shared-logs.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** A session as a transaction sees it, with what the transaction has done to it so far. */
export interface Draft extends SessionState {
  readonly name: string
  parent: SharedLog | undefined
  epoch: number
  tail: number
  earliest: number
  inbox: number
  /** The messages that were added and are not in the journal yet. */
  lines: Uint8Array[]
  /** Those that are. */
  extents: readonly Extent[]
  /** Tells whether it was written to. */
  isTouched: boolean
  /** When the journal was last told of it, if it was not folded since. */
  journaledAt: number | undefined
}

/** The sessions that a transaction has looked at; a name that cannot be stored is refused. */
export interface Drafts {
  get(name: string): Draft | undefined
  /** Throws `not_found` where {@link Drafts.get} gives nothing. */
  find(name: string): Draft
  /** Makes a session of an owner that nobody has opened yet, if there is none. */
  provide(name: string, owner: string | null): Draft
  /** Notes that a session is written to. */
  touch(draft: Draft): void
  /** Notes that a session was removed. */
  remove(draft: Draft): void
  /** By name, in the order in which they were last written to; those that were removed are undefined. */
  readonly all: ReadonlyMap<string, Draft | undefined>
  /** The names of those that were removed, also if they have begun again. */
  readonly removed: ReadonlySet<string>
}

/** Stands for the lines of drafts that have none, and is never added to. */
export const noLines: Uint8Array[] = []
const noExtents: readonly Extent[] = []

/** Builds an empty set of drafts; what is live is known without asking SQLite. */
export function createDrafts(
  statements: Statements<typeof writeTexts>,
  live: LiveSessions | undefined,
): Drafts {
  const all = new Map<string, Draft | undefined>()
  const removed = new Set<string>()

  const keep = (name: string, state: SessionState): Draft => {
    const draft = toDraft(name, state)
    all.set(name, draft)
    return draft
  }

  const get = (name: string): Draft | undefined => {
    const known = all.get(name)
    if (known !== undefined || all.has(name)) return known
    const state = live?.get(name) ?? findSession(statements, checkName(name))
    return state && keep(name, state)
  }

  return {
    get,
    find: (name) => {
      const draft = get(name)
      if (draft === undefined) throw sessionUnknown(name)
      return draft
    },
    provide: (name, owner) => {
      const known = get(name)
      if (known !== undefined) return known
      statements.addSession.run(name, createLogId(), ...toOwnerColumns(name, owner))
      const state = findSession(statements, name)
      if (state === undefined) throw storeDamaged('a session that was just made is missing')
      return keep(name, state)
    },
    touch: (draft) => {
      draft.isTouched = true
      // A Map keeps the order in which keys were set.
      all.delete(draft.name)
      all.set(draft.name, draft)
    },
    remove: ({ name }) => {
      all.set(name, undefined)
      removed.add(name)
    },
    all,
    removed,
  }
}

/** Copies the fields by name, as a session that is live has others. */
function toDraft(name: string, state: SessionState): Draft {
  const { number, log, generation, owner, parent, epoch, tail, earliest, inbox } = state
  return {
    name,
    number,
    log,
    generation,
    owner,
    parent,
    epoch,
    tail,
    earliest,
    inbox,
    lines: noLines,
    extents: noExtents,
    isTouched: false,
    journaledAt: undefined,
  }
}
