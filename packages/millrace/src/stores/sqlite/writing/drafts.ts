import { createLogId, sessionUnknown } from '../../port/index.ts'
import { checkName } from '../file/columns.ts'
import type { Statements } from '../file/connection.ts'
import type { Extent } from '../log/extents.ts'
import { findSession, toOwnerColumns } from '../reading/session-info.ts'
import type { LiveSessions, SessionState } from '../reading/live-sessions.ts'
import type { SharedLog } from '../log/shared-logs.ts'
import type { writeTexts } from '../file/statements.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** A session in a transaction, with the changes so far. */
export interface Draft extends SessionState {
  readonly name: string
  parent: SharedLog | undefined
  epoch: number
  tail: number
  earliest: number
  inbox: number
  /** Added frames that are not in the journal yet. */
  lines: readonly Uint8Array[]
  /** Added frames that are in the journal. */
  extents: readonly Extent[]
  isTouched: boolean
  /** Time of its last journal entry, unless it was folded since. */
  journaledAt: number | undefined
}

/** Sessions that a transaction has read. Names that cannot be stored are rejected. */
export interface Drafts {
  get(name: string): Draft | undefined
  /** Throws `not_found` for an unknown session. */
  find(name: string): Draft
  /** Returns a session; creates it with epoch 0 if there is none. */
  provide(name: string, owner: string | null): Draft
  touch(draft: Draft): void
  remove(draft: Draft): void
  /** Drafts by name, in the order of their last write; undefined for removed sessions. */
  readonly all: ReadonlyMap<string, Draft | undefined>
  /** Names of removed sessions, including those that were created again. */
  readonly removed: ReadonlySet<string>
}

/** The empty list of lines that drafts share. */
export const noLines: readonly Uint8Array[] = []
const noExtents: readonly Extent[] = []

/** Creates an empty set of drafts. Live sessions are read from memory. */
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
      if (state === undefined) throw storeDamaged('a newly created session is missing')
      return keep(name, state)
    },
    touch: (draft) => {
      draft.isTouched = true
      // Keys of a Map keep their insertion order.
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

/** Copies the fields by name, because a live session has more. */
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
