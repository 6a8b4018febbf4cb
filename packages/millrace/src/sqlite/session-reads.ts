import {
  type HeldLease,
  type SessionInfo,
  type SessionPage,
  type SessionRow,
  type StoredFile,
} from '../store/index.ts'
import { bytesAt, checkedBytesAt, fromBytes, numberAt, textAt } from './columns.ts'
import { findSession } from './find-session.ts'
import type { LiveSessions, SessionState } from './live-sessions.ts'
import type { Reader } from './open-reader.ts'
import { headAt, toInfo } from './session-info.ts'

/** What is read from: the file, and in memory what the journal holds. */
export interface ReadSources {
  readonly reader: Reader
  readonly live: LiveSessions
  readonly now: () => number
}

/** Where a session stands. */
export function lookUp({ reader, live }: ReadSources, name: string): SessionState | undefined {
  return live.get(name) ?? findSession(reader.statements, name)
}

/** What a store tells of a session. */
export function readInfo(sources: ReadSources, name: string): SessionInfo | undefined {
  const { reader, now } = sources
  return reader.snapshot(() => {
    const state = lookUp(sources, name)
    return state && toInfo(reader.statements, name, state, now())
  })
}

/** A part of the list of sessions; their rows must be up to date. */
export function readList(
  { reader }: ReadSources,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): SessionPage {
  return reader.snapshot(() => {
    const total = numberAt(reader.statements.countSessions.get() ?? [], 0)
    const rows: SessionRow[] = []
    for (let written = Number.MAX_SAFE_INTEGER; rows.length < limit;) {
      const row = reader.statements.nextSession.get(written, rows.length === 0 ? offset : 0)
      if (row === undefined) break
      written = numberAt(row, 0)
      rows.push({ session: textAt(row, 1), tail: numberAt(row, 2), head: headAt(row, 4) })
    }
    return { rows, total }
  })
}

/** Leases that were not given up, those that lapse first first. */
export function readLeases({ reader, now }: ReadSources, limit: number): readonly HeldLease[] {
  return reader.snapshot(() => {
    const leases: HeldLease[] = []
    for (let last: readonly [number, number] = [-Infinity, 0]; leases.length < limit;) {
      const row = reader.statements.nextLease.get(...last)
      if (row === undefined) break
      last = [numberAt(row, 0), numberAt(row, 1)]
      const [session, owner] = [textAt(row, 2), textAt(row, 3)]
      leases.push({ session, owner, hasLapsed: last[0] <= now() })
    }
    return leases
  })
}

/** A file of a session. */
export function readFile(sources: ReadSources, name: string, id: string): StoredFile | undefined {
  const session = lookUp(sources, name)
  const row = session && sources.reader.statements.findFile.get(session.number, id)
  if (row === undefined) return undefined
  const file = { id, mediaType: textAt(row, 0), bytes: checkedBytesAt(row, 3) }
  return row[1] === null ? file : { ...file, filename: fromBytes(bytesAt(row, 1)) }
}

/** The ids of the files of a session. */
export function readFileIds(sources: ReadSources, name: string): readonly string[] {
  const { reader } = sources
  return reader.snapshot(() => {
    const ids: string[] = []
    const session = lookUp(sources, name)
    while (session) {
      const row = reader.statements.nextFileId.get(session.number, ids.at(-1) ?? '')
      if (row === undefined) break
      ids.push(textAt(row, 0))
    }
    return ids
  })
}
