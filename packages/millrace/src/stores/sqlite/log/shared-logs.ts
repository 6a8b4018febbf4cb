import { crc32 } from 'node:zlib'
import type { ForkPoint } from '../../port/index.ts'
import { bytesAt, fromBytes, numberAt, textAt } from '../file/columns.ts'
import type { Row, Statement } from '../file/connection.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** A log whose frames, parts and files up to a frame also belong to a branch. */
export interface SharedLog extends ForkPoint {
  /** The number of the session that has the log. */
  readonly number: number
}

/** Finds the log that the session of a log shares in turn; undefined if that session is no branch. */
export type FindShared = (of: Pick<SharedLog, 'number' | 'log'>) => SharedLog | undefined

/**
 * The sum also says which session the fork point belongs to: a wrong one would give a branch the frames of another session.
 * Ids of logs are left out, because they may be drawn anew after a backup was restored.
 */
export function sumOfFork(session: number, { number, frame, session: name }: SharedLog): number {
  return crc32(`${session} ${number} ${frame} ${name}`)
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

/** So many fork points are kept in memory. */
const MAX_REMEMBERED = 10_000

/**
 * Finds fork points in the file, and remembers them: none ever changes. They are known by the ids of logs, because the number of a
 * session whose creation was rolled back is used again.
 */
export function createFindShared({ findFork }: { readonly findFork: Statement }): FindShared {
  const known = new Map<string, SharedLog | undefined>()
  return ({ number, log }) => {
    if (known.has(log)) return known.get(log)
    const row = findFork.get(number)
    if (row === undefined) throw storeDamaged('the parent of a branch is missing')
    const found = sharedLogAt(row, 0, number)
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(log, found)
    return found
  }
}

/** The logs that a session shares, its parent's first. */
export function* sharedLogs(
  parent: SharedLog | undefined,
  find: FindShared,
): Generator<SharedLog, void> {
  for (let shared = parent; shared !== undefined; shared = find(shared)) yield shared
}
