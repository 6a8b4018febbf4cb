import type { Names } from '../names.ts'

/**
 * Begins a statement with the log of session `$1` and those of its ancestors: `number` of each log, and the last frame of it that the session
 * shares (`upto`), which is null for its own. `id` and `earliest` are those of the session. Ancestors are left out that share nothing after a
 * frame, if one is given.
 *
 * What is joined to the logs is a subquery with `OFFSET 0`, which Postgres asks for each log by the index: it expects so many ancestors that it would
 * read whole tables to join them at once.
 */
export function withChain(names: Names, after = '-1'): string {
  return `WITH RECURSIVE chain (number, parent, base, upto, id, earliest) AS (
    SELECT number, parent, base, NULL::bigint, id, earliest FROM ${names.logs} WHERE session = $1
    UNION ALL
    SELECT p.number, p.parent, p.base, c.base, c.id, c.earliest FROM chain c CROSS JOIN LATERAL
    (SELECT number, parent, base FROM ${names.logs} WHERE number = c.parent AND c.base > ${after} OFFSET 0) p
  )`
}
