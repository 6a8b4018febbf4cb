import { crc32 } from 'node:zlib'
import type { ForkPoint } from '../../port/index.ts'
import { bytesAt, fromBytes, numberAt, textAt } from '../file/columns.ts'
import type { Row, Statement } from '../file/connection.ts'
import { storeDamaged } from '../file/store-errors.ts'

/** A log whose frames, parts and files a branch shares, up to a frame. */
export interface SharedLog extends ForkPoint {
  /** Number of the session that has the log. */
  readonly number: number
}

/** Finds the log that a log's session shares; undefined if that session is not a branch. */
export type FindShared = (of: Pick<SharedLog, 'number' | 'log'>) => SharedLog | undefined

/**
 * Computes the checksum of a fork point. It covers the session, because a wrong fork point would give a branch the frames of another
 * session. It does not cover log ids, which may change when a backup is restored.
 */
export function sumOfFork(session: number, { number, frame, session: name }: SharedLog): number {
  return crc32(`${session} ${number} ${frame} ${name}`)
}

/** Reads the shared log of a session from the columns that start at `column`. */
export function sharedLogAt(row: Row, column: number, session: number): SharedLog | undefined {
  const sum = row[column]
  if (sum === null) return undefined
  const shared = {
    number: numberAt(row, column + 1),
    frame: numberAt(row, column + 2),
    session: fromBytes(bytesAt(row, column + 3)),
    log: textAt(row, column + 4),
  }
  if (sum !== sumOfFork(session, shared))
    throw storeDamaged('a checksum does not match its fork point')
  return shared
}

/** Maximum number of cached fork points. */
const MAX_REMEMBERED = 10_000

/**
 * Creates a finder that caches fork points, which never change. The keys are log ids, because a session number is reused if the creation of
 * its session was rolled back.
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

/** Iterates over the logs that a session shares, starting with its parent's. */
export function* sharedLogs(
  parent: SharedLog | undefined,
  find: FindShared,
): Generator<SharedLog, void> {
  for (let shared = parent; shared !== undefined; shared = find(shared)) yield shared
}
