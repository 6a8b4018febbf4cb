import {
  compareLog,
  cursorTrimmed,
  isShared,
  joinParts,
  type LogEntry,
  type Part,
  type PartRange,
  sessionUnknown,
} from '../../port/index.ts'
import type { End } from '../../remote/index.ts'
import { type Names, withChain } from '../names.ts'
import { MAX_ROW_LINES, readLines } from './encode-group.ts'
import type { PostgresContext } from '../create-postgres-context.ts'
import { bytesAt, checkName, numberAt, type Row, textAt } from '../values.ts'

/** Reads frames after an id together with the fence of their log; a second statement reads shared frames. */
export async function readLog(
  context: PostgresContext,
  session: string,
  after: number,
  limit: number,
  log: string | undefined,
): Promise<readonly LogEntry[]> {
  const { send, names } = context
  const end = after + Math.max(0, limit)
  const values = [checkName(session), after, end, end + MAX_ROW_LINES]
  const rows = await send(
    `SELECT l.id, l.earliest, f.first, f.body, l.base FROM ${names.logs} l LEFT JOIN ${names.frames} f
     ON f.log = l.number AND ${inPage} AND coalesce(l.base, 0) <= $2
     WHERE l.session = $1 ORDER BY f.last`,
    values,
  )
  const hasShared = numberAt(rows[0] ?? [], 4) > after
  const found = hasShared ? await send(sharedPage(names), values) : rows
  const [fence] = found
  if (fence === undefined) throw sessionUnknown(session)
  compareLog(session, log, textAt(fence, 0) ?? '')
  const earliest = numberAt(fence, 1)
  if (after < earliest - 1) throw cursorTrimmed(after, earliest)
  return found.flatMap((row) => {
    const last = hasShared && row[4] !== null ? Math.min(end, numberAt(row, 4)) : end
    return row[2] === null ? [] : readLines(bytesAt(row, 3), numberAt(row, 2), after, last)
  })
}

/** A row that begins in the page ends before the second bound, so the index returns only rows of the page. */
const inPage = 'f.last > $2 AND f.last < $4 AND f.first <= $3'

/** Returns the statement for a page with shared frames. Each row has the last shared frame. */
function sharedPage(names: Names): string {
  return `${withChain(names, '$2')}
    SELECT c.id, c.earliest, f.first, f.body, c.upto FROM chain c LEFT JOIN LATERAL
    (SELECT first, body FROM ${names.frames} f WHERE log = c.number AND ${inPage} AND first <= coalesce(c.upto, $3) OFFSET 0) f ON true
    WHERE f.first IS NOT NULL OR c.upto IS NULL ORDER BY f.first`
}

/** Reads the ends of several logs at once. */
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

/** Reads parts of a collection, including shared parts of a branch. */
export async function readParts(
  { send, names }: PostgresContext,
  session: string,
  collection: string,
  range: PartRange,
  log: string | undefined,
): Promise<readonly Part[]> {
  const isAscending = 'after' in range
  const [beyond, order] = isAscending ? ['>', 'ASC'] : ['<', 'DESC']
  const limit = Math.max(0, range.limit)
  const from = isAscending ? range.after : range.before
  const values = [checkName(session), checkName(collection), from, limit]
  const inRange = `collection = $2 AND number ${beyond} $3`
  const inOrder = `ORDER BY number ${order} LIMIT $4`
  const rows = await send(
    `SELECT l.id, p.number, p.frame, p.body, l.parent FROM ${names.logs} l LEFT JOIN LATERAL
     (SELECT * FROM ${names.parts} WHERE log = l.number AND ${inRange} ${inOrder}) p ON true
     WHERE l.session = $1 ORDER BY p.number ${order}`,
    values,
  )
  const [fence] = rows
  if (fence === undefined) return []
  const id = textAt(fence, 0) ?? ''
  compareLog(session, log, id)
  const own = toParts(collection, rows)
  if (fence[4] === null || !isShared(collection)) return own
  const shared = await send(
    `${withChain(names)}
     SELECT DISTINCT ON (p.number) c.id, p.number, p.frame, p.body FROM chain c CROSS JOIN LATERAL
     (SELECT * FROM ${names.parts} WHERE log = c.number AND ${inRange} AND frame <= c.upto ${inOrder}) p
     WHERE c.id = $5 AND c.upto IS NOT NULL ORDER BY p.number ${order}, c.upto DESC LIMIT $4`,
    [...values, id],
  )
  return joinParts([own, toParts(collection, shared)], range)
}

function toParts(collection: string, rows: readonly Row[]): readonly Part[] {
  return rows
    .filter((row) => row[1] !== null)
    .map((row) => ({
      collection,
      number: numberAt(row, 1),
      frame: numberAt(row, 2),
      body: textAt(row, 3) ?? '',
    }))
}
