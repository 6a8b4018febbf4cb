import {
  compareLog,
  cursorTrimmed,
  type LogEntry,
  type Part,
  type PartRange,
  sessionUnknown,
} from '../store/index.ts'
import type { End } from './ends.ts'
import { MAX_ROW_LINES, readLines } from './line-rows.ts'
import type { PostgresContext } from './postgres-context.ts'
import { bytesAt, checkName, numberAt, textAt } from './values.ts'

/** Reads messages after an id, with the fence of their log in one statement. */
export async function readLog(
  { send, names }: PostgresContext,
  session: string,
  after: number,
  limit: number,
  log: string | undefined,
): Promise<readonly LogEntry[]> {
  const end = after + Math.max(0, limit)
  // A row that begins in the page ends before the second bound, so that the index gives only rows of the page.
  const rows = await send(
    `SELECT l.id, l.earliest, f.first, f.body FROM ${names.logs} l LEFT JOIN ${names.frames} f
     ON f.log = l.number AND f.last > $2 AND f.last < $4 AND f.first <= $3
     WHERE l.session = $1 ORDER BY f.last`,
    [checkName(session), after, end, end + MAX_ROW_LINES],
  )
  const [fence] = rows
  if (fence === undefined) throw sessionUnknown(session)
  compareLog(session, log, textAt(fence, 0) ?? '')
  const earliest = numberAt(fence, 1)
  if (after < earliest - 1) throw cursorTrimmed(after, earliest)
  return rows.flatMap((row) =>
    row[2] === null ? [] : readLines(bytesAt(row, 3), numberAt(row, 2), after, end),
  )
}

/** Reads parts of a collection. */
export async function readParts(
  { send, names }: PostgresContext,
  session: string,
  collection: string,
  range: PartRange,
  log: string | undefined,
): Promise<readonly Part[]> {
  const isAscending = 'after' in range
  const order = isAscending ? ['>', 'ASC'] : ['<', 'DESC']
  const rows = await send(
    `SELECT l.id, p.number, p.frame, p.body FROM ${names.logs} l LEFT JOIN LATERAL
     (SELECT * FROM ${names.parts} WHERE log = l.number AND collection = $2 AND number ${order[0]} $3
      ORDER BY number ${order[1]} LIMIT $4) p ON true
     WHERE l.session = $1 ORDER BY p.number ${order[1]}`,
    [
      checkName(session),
      checkName(collection),
      isAscending ? range.after : range.before,
      Math.max(0, range.limit),
    ],
  )
  const [fence] = rows
  if (fence !== undefined) compareLog(session, log, textAt(fence, 0) ?? '')
  return rows
    .filter((row) => row[1] !== null)
    .map((row) => ({
      collection,
      number: numberAt(row, 1),
      frame: numberAt(row, 2),
      body: textAt(row, 3) ?? '',
    }))
}

/** Looks where logs end. */
export async function lookAtEnds(
  { send, names }: Pick<PostgresContext, 'send' | 'names'>,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, End>> {
  const rows = await send(`SELECT session, id, tail FROM ${names.logs} WHERE session = ANY ($1)`, [
    sessions,
  ])
  return new Map(
    rows.map((row) => [
      textAt(row, 0) ?? '',
      { log: textAt(row, 1) ?? '', tail: numberAt(row, 2) },
    ]),
  )
}
