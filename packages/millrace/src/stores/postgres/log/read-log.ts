import { compareLog, cursorTrimmed, type LogEntry, sessionUnknown } from '../../port/index.ts'
import type { End } from '../../remote/index.ts'
import type { Names } from '../names.ts'
import { MAX_ROW_LINES, readLines } from './line-rows.ts'
import type { PostgresContext } from '../create-postgres-context.ts'
import { withChain } from '../sql/chain.ts'
import { bytesAt, checkName, numberAt, textAt } from '../values.ts'

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
  const isShared = numberAt(rows[0] ?? [], 4) > after
  const found = isShared ? await send(sharedPage(names), values) : rows
  const [fence] = found
  if (fence === undefined) throw sessionUnknown(session)
  compareLog(session, log, textAt(fence, 0) ?? '')
  const earliest = numberAt(fence, 1)
  if (after < earliest - 1) throw cursorTrimmed(after, earliest)
  return found.flatMap((row) => {
    const last = isShared && row[4] !== null ? Math.min(end, numberAt(row, 4)) : end
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

/** Reads the log ids and tails of sessions. */
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
