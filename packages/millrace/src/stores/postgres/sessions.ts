import {
  checkOwner,
  createLogId,
  type HeldLease,
  type KeyedPage,
  type Lease,
  leaseLost,
  REMEMBERED_MS,
  type SeenSession,
  type SessionInfo,
  type SessionPage,
  type SessionRange,
  sessionUnknown,
  toKeyedPage,
} from '../port/index.ts'
import type { PostgresContext } from './create-postgres-context.ts'
import { withNames } from './names.ts'
import { infoColumns, infoFrom } from './sql/sessions.ts'
import { checkName, numberAt, type Row, textAt } from './values.ts'

const PRUNED_AT_ONCE = 100

/** The state of a removal without one. */
const noState = [null, null, null, null]

/** Makes the caller the writer of a session, and creates the session if there is none. */
export async function openSession(
  { send, names, tokens }: PostgresContext,
  session: string,
  lease: Lease | undefined,
  expected: number | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  checkOwner(owner)
  const { owner: holder = null, ms = null } = lease ?? {}
  const asked = [holder, ms, expected ?? null, tokens.next(), createLogId(), REMEMBERED_MS, owner]
  const [row = []] = await send(`SELECT * FROM ${names.open}($1, $2, $3, $4, $5, $6, $7, $8)`, [
    checkName(session),
    ...asked,
  ])
  if (row[0] === 'ok') return toInfo(session, row.slice(1))
  throw leaseLost(session, expected ?? 0, numberAt(row, 5))
}

/** Reads the facts about a session; undefined if there is none. */
export async function lookAtSession(
  { send, names }: PostgresContext,
  session: string,
): Promise<SessionInfo | undefined> {
  const [row] = await send(
    withNames(`SELECT ${infoColumns} FROM ${infoFrom} WHERE l.session = $1`, names),
    [checkName(session)],
  )
  return row && toInfo(session, row)
}

/** Lists sessions, last written first. */
export async function listSessions(
  { send, names }: PostgresContext,
  { limit, offset, owner }: SessionRange,
): Promise<SessionPage> {
  checkOwner(owner)
  const [own, of] = owner === undefined ? ['', []] : ['AND l.owner = $1', [owner]]
  const range = `LIMIT $${of.length + 1} OFFSET $${of.length + 2}`
  const [total, rows] = await Promise.all([
    send(`SELECT count(*) FROM ${names.logs} l WHERE l.session IS NOT NULL ${own}`, of),
    send(
      `SELECT l.session, l.tail, h.body, l.owner FROM ${names.logs} l LEFT JOIN ${names.heads} h ON h.log = l.number
       WHERE l.session IS NOT NULL ${own} ORDER BY l.minute DESC, l.written_at DESC, l.number DESC ${range}`,
      [...of, Math.max(0, limit), offset],
    ),
  ])
  return {
    rows: rows.map((row) => ({
      session: textAt(row, 0) ?? '',
      tail: numberAt(row, 1),
      head: textAt(row, 2),
      owner: textAt(row, 3) ?? null,
    })),
    total: numberAt(total[0] ?? [], 0),
  }
}

/** Renews the lease of a session; returns the version of its inbox. */
export async function renewLease(
  { send, names }: PostgresContext,
  session: string,
  epoch: number,
  { owner, ms }: Lease,
  log: string | undefined,
): Promise<{ inbox: number }> {
  const [row] = await send(`SELECT * FROM ${names.renew}($1, $2, $3, $4, $5)`, [
    checkName(session),
    epoch,
    log ?? null,
    owner,
    ms,
  ])
  if (row === undefined) throw sessionUnknown(session)
  if (row[0] !== 'ok') throw leaseLost(session, epoch, numberAt(row, 1))
  return { inbox: numberAt(row, 2) }
}

/** Lists leases that were not released, in the order in which they lapse, from a key on. */
export async function listLeases(
  { send, names }: PostgresContext,
  limit: number,
  after = '0 0',
): Promise<KeyedPage<HeldLease>> {
  const [micros, number] = after.split(' ')
  const rows = await send(
    `SELECT session, lease_owner, lease_until <= clock_timestamp(),
       (extract(epoch FROM lease_until) * 1000000)::bigint, number FROM ${names.logs}
     WHERE lease_owner IS NOT NULL
       AND (lease_until, number) > (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3)
     ORDER BY lease_until, number LIMIT $1`,
    [Math.max(0, limit), micros, number],
  )
  const toRow = (row: Row): HeldLease => ({
    session: textAt(row, 0) ?? '',
    owner: textAt(row, 1) ?? '',
    hasLapsed: row[2] === true,
  })
  return toKeyedPage(rows, limit, { toRow, toKey: (row) => row.slice(3).join(' ') })
}

/** Removes a session if it meets the condition; false if it was not removed. */
export async function removeSession(
  { send, names, tokens, waits, hints }: PostgresContext,
  session: string,
  { idleMs, seen }: { readonly idleMs?: number; readonly seen?: SeenSession | undefined } = {},
): Promise<boolean> {
  const state = seen && [seen.log, seen.epoch, seen.tail, seen.inbox]
  const values = [checkName(session), tokens.next(), idleMs ?? null, ...(state ?? noState)]
  const [row] = await send(`SELECT ${names.remove}($1, $2, $3, $4, $5, $6, $7)`, values)
  const isRemoved = row?.[0] === true
  if (isRemoved) {
    waits.drop(session, sessionUnknown(session))
    hints.announce(session, 0)
  }
  return isRemoved
}

/** Removes sessions that had no write for this time and have no lease. Returns their number. */
export async function pruneSessions(
  context: PostgresContext,
  idleMs: number,
  isKept: (head: string | undefined) => boolean = () => false,
): Promise<number> {
  const { send, names } = context
  const ago = `clock_timestamp() - $1 * interval '1 millisecond'`
  await send(`DELETE FROM ${names.gone} WHERE removed_at <= ${ago}`, [REMEMBERED_MS])
  let last: readonly unknown[] = [-1, 0]
  for (let removed = 0; ;) {
    const rows = await send(
      `SELECT session, h.body, minute, number FROM ${names.logs} LEFT JOIN ${names.heads} h ON log = number
       WHERE minute <= (extract(epoch FROM ${ago}) / 60)::int + 1 AND (minute, number) > ($3, $4)
       AND written_at <= ${ago} AND lease_owner IS NULL AND session IS NOT NULL ORDER BY minute, number LIMIT $2`,
      [idleMs, PRUNED_AT_ONCE, ...last],
    )
    // One at a time, because a removal also locks the ancestors of its session.
    for (const row of rows)
      if (
        !isKept(textAt(row, 1)) &&
        (await removeSession(context, textAt(row, 0) ?? '', { idleMs }))
      )
        removed += 1
    last = rows.at(-1)?.slice(2) ?? last
    if (rows.length < PRUNED_AT_ONCE) return removed
  }
}

/** Returns the head and fence of a session, from the columns of `infoColumns`. */
export function toInfo(session: string, row: Row): SessionInfo {
  const info = {
    session,
    log: textAt(row, 0) ?? '',
    generation: numberAt(row, 1),
    tail: numberAt(row, 2),
    earliest: numberAt(row, 3),
    epoch: numberAt(row, 4),
    inbox: numberAt(row, 5),
    pending: numberAt(row, 6),
    head: textAt(row, 7),
    owner: textAt(row, 13) ?? null,
  }
  const [holder, parent, id] = [textAt(row, 8), textAt(row, 10), textAt(row, 11)]
  const point = { session: parent ?? '', log: id ?? '', frame: numberAt(row, 12) }
  return {
    ...info,
    ...(id === undefined ? undefined : { parent: point }),
    ...(holder === undefined
      ? undefined
      : { lease: { owner: holder, hasLapsed: row[9] === true } }),
  }
}
