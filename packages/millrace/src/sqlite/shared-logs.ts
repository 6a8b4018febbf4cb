import { crc32 } from 'node:zlib'
import type { ForkPoint } from '../store/index.ts'
import { bytesAt, fromBytes, numberAt, textAt } from './columns.ts'
import type { Row, Statement } from './connection.ts'
import { storeDamaged } from './store-errors.ts'

/** A log whose frames, parts and files up to a frame also belong to a branch. */
export interface SharedLog extends ForkPoint {
  /** The number of the session that has the log. */
  readonly number: number
}

/** Finds the log that a branch shares, by the number of the branch; undefined if the session is no branch. */
export type FindShared = (session: number) => SharedLog | undefined

/** The sum also says which session the fork point belongs to: a wrong one would give a branch the frames of another session. */
export function sumOfFork(
  session: number,
  { number, log, frame, session: name }: SharedLog,
): number {
  return crc32(`${session} ${number} ${log} ${frame} ${name}`)
}

/** The log that a session shares, in the columns of a row from this one on. */
export function sharedLogAt(row: Row, column: number, session: number): SharedLog | undefined {
  const sum = row[column]
  if (sum === null) return undefined
  const shared = {
    number: numberAt(row, column + 1),
    frame: numberAt(row, column + 2),
    session: fromBytes(bytesAt(row, column + 3)),
    log: textAt(row, column + 4),
  }
  if (sum !== sumOfFork(session, shared)) throw storeDamaged('a sum does not fit its fork point')
  return shared
}

/** Finds fork points in the file. */
export function createFindShared({ findFork }: { readonly findFork: Statement }): FindShared {
  return (session) => {
    const row = findFork.get(session)
    if (row === undefined) throw storeDamaged('the parent of a branch is missing')
    return sharedLogAt(row, 0, session)
  }
}

/** So many fork points are kept in memory. */
const MAX_REMEMBERED = 10_000

/** Remembers what was found: a fork point never changes, and no number is used twice. */
export function rememberShared(find: FindShared): FindShared {
  const known = new Map<number, SharedLog | undefined>()
  return (session) => {
    if (known.has(session)) return known.get(session)
    const found = find(session)
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(session, found)
    return found
  }
}

/** The logs that a session shares, its parent's first. */
export function* sharedLogs(
  parent: SharedLog | undefined,
  find: FindShared,
): Generator<SharedLog, void> {
  for (let shared = parent; shared !== undefined; shared = find(shared.number)) yield shared
}
