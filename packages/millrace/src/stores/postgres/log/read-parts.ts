import { compareLog, isShared, joinParts, type Part, type PartRange } from '../../port/index.ts'
import type { PostgresContext } from '../create-postgres-context.ts'
import { withChain } from '../sql/chain.ts'
import { checkName, numberAt, type Row, textAt } from '../values.ts'

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
