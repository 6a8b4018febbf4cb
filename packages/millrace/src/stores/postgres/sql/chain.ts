import type { Names } from '../names.ts'

/**
 * Returns the start of a statement with the logs of session `$1` and its ancestors: `number` of each log, and its last shared frame
 * (`upto`), which is null for the session's own log. `id` and `earliest` are those of the session. With `after`, ancestors without shared
 * frames after it are omitted.
 *
 * Tables joined to the logs need a subquery with `OFFSET 0`, which makes Postgres use the index for each log. Otherwise it expects many ancestors and reads whole tables.
 */
export function withChain(names: Names, after = '-1'): string {
  return `WITH RECURSIVE chain (number, parent, base, upto, id, earliest) AS (
    SELECT number, parent, base, NULL::bigint, id, earliest FROM ${names.logs} WHERE session = $1
    UNION ALL
    SELECT p.number, p.parent, p.base, c.base, c.id, c.earliest FROM chain c CROSS JOIN LATERAL
    (SELECT number, parent, base FROM ${names.logs} WHERE number = c.parent AND c.base > ${after} OFFSET 0) p
  )`
}
