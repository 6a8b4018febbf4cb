import {
  type Branch,
  compareLog,
  type HeldLease,
  type KeyedPage,
  type SessionInfo,
  type SessionPage,
  type SessionRange,
  type SessionRow,
  type StoredFile,
  toKeyedPage,
} from '../../port/index.ts'
import {
  bytesAt,
  checkedOldBytesAt,
  filePlace,
  fromBytes,
  numberAt,
  textAt,
  toBytes,
} from '../file/columns.ts'
import type { Row } from '../file/connection.ts'
import { findSession, headAt, ownerAt, toInfo } from './session-info.ts'
import type { LiveSessions, SessionState } from './live-sessions.ts'
import type { Reader } from '../file/open-reader.ts'
import { sharedLogs } from '../log/shared-logs.ts'

/** Sources of reads: the file, and the journal in memory. */
export interface ReadSources {
  readonly reader: Reader
  readonly live: LiveSessions
  readonly now: () => number
}

/** Finds the state of a session in memory or in the file. */
export function lookUp({ reader, live }: ReadSources, name: string): SessionState | undefined {
  return live.get(name) ?? findSession(reader.statements, name)
}

/** Like {@link lookUp}, but reads a branch from its row: another process may have removed it with its parent. */
export function lookUpBranch(
  { reader, live }: ReadSources,
  name: string,
): SessionState | undefined {
  const held = live.get(name)
  return held && held.parent === undefined ? held : findSession(reader.statements, name)
}

/** Reads the facts about a session; undefined if there is none. */
export function readInfo(sources: ReadSources, name: string): SessionInfo | undefined {
  const { reader, now } = sources
  return reader.snapshot(() => {
    const state = lookUp(sources, name)
    return state && toInfo(reader.statements, name, state, now())
  })
}

/** Reads a page of the session list. Rows must be up to date. */
export function readList(
  { reader }: ReadSources,
  { limit, offset, owner }: SessionRange,
): SessionPage {
  const { countSessions, countOwned, nextSession, nextOwned } = reader.statements
  const own = owner === undefined ? [] : [toBytes(owner)]
  const [count, next] = owner === undefined ? [countSessions, nextSession] : [countOwned, nextOwned]
  return reader.snapshot(() => {
    const total = numberAt(count.get(...own) ?? [], 0)
    const rows: SessionRow[] = []
    for (let written = Number.MAX_SAFE_INTEGER; rows.length < limit;) {
      const row = next.get(written, rows.length === 0 ? offset : 0, ...own)
      if (row === undefined) break
      written = numberAt(row, 0)
      rows.push(toRow(row))
    }
    return { rows, total }
  })
}

function toRow(row: Row): SessionRow {
  const session = textAt(row, 1)
  const head = headAt(row, 6, numberAt(row, 3))
  return { session, tail: numberAt(row, 2), head, owner: ownerAt(row, 8, session) }
}

/** Lists leases that were not released, in the order in which they lapse. */
export function readLeases(
  { reader, now }: ReadSources,
  limit: number,
  after = '-Infinity 0',
): KeyedPage<HeldLease> {
  return reader.snapshot(() => {
    const leases: HeldLease[] = []
    const [until = 0, number = 0] = after.split(' ').map(Number)
    let last: readonly [number, number] = [until, number]
    while (leases.length < limit) {
      const row = reader.statements.nextLease.get(...last)
      if (row === undefined) break
      last = [numberAt(row, 0), numberAt(row, 1)]
      const [session, owner] = [textAt(row, 2), textAt(row, 3)]
      leases.push({ session, owner, hasLapsed: last[0] <= now() })
    }
    return toKeyedPage(leases, limit, { toRow: (row) => row, toKey: () => last.join(' ') })
  })
}

/** A log that a session reads, with the last frame that belongs to the session. */
interface ReadLog {
  readonly number: number
  readonly frame: number
}

/** Returns the log of a session and the shared ones, its own first. */
export function logsOf(reader: Reader, { number, parent }: SessionState): readonly ReadLog[] {
  const own = { number, frame: Number.MAX_SAFE_INTEGER }
  return [own, ...sharedLogs(parent, reader.findShared)]
}

/** Reads a file of a session, or one that it shares. */
export function readFile(sources: ReadSources, name: string, id: string): StoredFile | undefined {
  const { reader } = sources
  return reader.snapshot(() => {
    const session = lookUpBranch(sources, name)
    for (const { number, frame } of session ? logsOf(reader, session) : []) {
      const row = reader.statements.findFile.get(number, id, frame)
      if (row === undefined) continue
      const mediaType = textAt(row, 0)
      const bytes = checkedOldBytesAt(row, 3, filePlace(number, id, mediaType))
      const file = { id, mediaType, bytes }
      return row[1] === null ? file : { ...file, filename: fromBytes(bytesAt(row, 1)) }
    }
    return undefined
  })
}

/** Lists the file ids of a session, including shared files. */
export function readFileIds(sources: ReadSources, name: string): readonly string[] {
  const { reader } = sources
  return reader.snapshot(() => {
    const ids = new Set<string>()
    const session = lookUpBranch(sources, name)
    for (const { number, frame } of session ? logsOf(reader, session) : [])
      for (let last = ''; ;) {
        const row = reader.statements.nextFileId.get(number, last, frame)
        if (row === undefined) break
        last = textAt(row, 0)
        ids.add(last)
      }
    return [...ids]
  })
}

/** Lists branches of a session, without removed ones. */
export function readBranches(
  sources: ReadSources,
  name: string,
  limit: number,
  log: string | undefined,
): readonly Branch[] {
  const { reader } = sources
  return reader.snapshot(() => {
    const branches: Branch[] = []
    const session = lookUp(sources, name)
    if (session) compareLog(name, log, session.log)
    for (let last: readonly [number, number] = [-1, 0]; session && branches.length < limit;) {
      const row = reader.statements.nextBranch.get(session.number, ...last)
      if (row === undefined) break
      last = [numberAt(row, 0), numberAt(row, 1)]
      branches.push({ session: textAt(row, 2), frame: last[0] })
    }
    return branches
  })
}
