import { sessionUnknown } from '../store/index.ts'
import type { Statements } from './connection.ts'
import { findSession } from './find-session.ts'
import type { LiveSessions, SessionState } from './live-sessions.ts'
import type { writeTexts } from './statements.ts'
import { storeDamaged } from './store-errors.ts'

/** A session as a transaction sees it, with what the transaction has done to it so far. */
export interface Draft extends SessionState {
  readonly name: string
  epoch: number
  tail: number
  earliest: number
  /** The messages that were added. */
  readonly lines: Uint8Array[]
  /** How many of them are in the journal. */
  journaled: number
  /** Tells whether it was written to. */
  isTouched: boolean
}

/** The sessions that a transaction has looked at. */
export interface Drafts {
  get(name: string): Draft | undefined
  /** Throws `not_found` where {@link Drafts.get} gives nothing. */
  find(name: string): Draft
  /** Makes a session that nobody has opened yet, if there is none. */
  provide(name: string): Draft
  remove(draft: Draft): void
  /** By name; those that were removed are undefined. */
  readonly all: ReadonlyMap<string, Draft | undefined>
}

/** Builds an empty set of drafts; what is live is known without asking SQLite. */
export function createDrafts(
  statements: Statements<typeof writeTexts>,
  live: LiveSessions | undefined,
): Drafts {
  const all = new Map<string, Draft | undefined>()

  const keep = (name: string, state: SessionState): Draft => {
    const { number, epoch, tail, earliest } = state
    const lines: Uint8Array[] = []
    const isTouched = false
    const draft = { name, number, epoch, tail, earliest, lines, journaled: 0, isTouched }
    all.set(name, draft)
    return draft
  }

  const get = (name: string): Draft | undefined => {
    if (all.has(name)) return all.get(name)
    const state = live?.get(name) ?? findSession(statements, name)
    return state && keep(name, state)
  }

  return {
    get,
    find: (name) => {
      const draft = get(name)
      if (draft === undefined) throw sessionUnknown(name)
      return draft
    },
    provide: (name) => {
      const known = get(name)
      if (known !== undefined) return known
      statements.addSession.run(name)
      const state = findSession(statements, name)
      if (state === undefined) throw storeDamaged('a session that was just made is missing')
      return keep(name, state)
    },
    remove: ({ name, number }) => {
      statements.removeSession.run(number)
      all.set(name, undefined)
    },
    all,
  }
}
