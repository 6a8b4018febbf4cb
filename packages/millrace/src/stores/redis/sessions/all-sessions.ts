import {
  checkOwner,
  type HeldLease,
  type SessionPage,
  type SessionRange,
} from '../../port/index.ts'
import { settleOverdue } from '../branches/links.ts'
import type { RedisContext } from '../redis-context.ts'
import { removeSession } from './remove-session.ts'
import { numberAt, type Reply, textAt, toReply, toTexts } from '../reply.ts'
import { dropStale, held, idle } from '../scripts/index.ts'

const PRUNED_AT_ONCE = 100
const LOOKED_AT_ONCE = 100

/** Lists sessions, last written first. */
export async function listSessions(
  { connection, run, keys }: RedisContext,
  { limit, offset, owner: asked }: SessionRange,
): Promise<SessionPage> {
  checkOwner(asked)
  const set = asked === undefined ? keys.sessions : keys.ownedBy(asked)
  if (limit <= 0) return { rows: [], total: Number(await connection.send('zcard', [set])) }
  const [total, names] = await Promise.all([
    connection.send('zcard', [set]),
    connection.send('zrevrange', [set, offset, offset + limit - 1]),
  ])
  const rows = await Promise.all(
    toTexts(names).map(async (session) => {
      const { meta } = keys.session(session)
      const row = toReply(
        await connection.send('hmget', [meta, 'tail', 'head', 'summary', 'ownedBy']),
      )
      const owner = textAt(row, 3) ?? null
      const isListed = textAt(row, 0) !== undefined && (asked ?? owner) === owner
      // An owner is recorded before its session is created, and older versions remove sessions without their owners.
      if (!isListed && asked !== undefined) await run(dropStale, [set], [session])
      // The head of version 0.1.0 is the summary.
      const head = textAt(row, 1) ?? textAt(row, 2)
      return isListed ? [{ session, tail: numberAt(row, 0), head, owner }] : []
    }),
  )
  return { rows: rows.flat(), total: Number(total) }
}

/** Lists leases that were not released, in the order in which they lapse. */
export async function listLeases(
  context: RedisContext,
  limit: number,
): Promise<readonly HeldLease[]> {
  const { keys } = context
  const toLease = (session: string, reply: Reply) => {
    const owner = textAt(reply, 0)
    if (owner === undefined) return undefined
    return { session, owner, hasLapsed: numberAt(reply, 1) === 1, lapses: numberAt(reply, 2) }
  }
  const sets = [keys.leases, keys.oldLeases]
  const found = await Promise.all(sets.map((set) => findNoted(context, { set, limit }, toLease)))
  const bySession = new Map(found.flat().map((lease) => [lease.session, lease]))
  return [...bySession.values()]
    .sort((a, b) => a.lapses - b.lapses)
    .slice(0, limit)
    .map(({ session, owner, hasLapsed }) => ({ session, owner, hasLapsed }))
}

/** Lists sessions with pending commands and without a lease. */
export function listUnattended(context: RedisContext, limit: number): Promise<readonly string[]> {
  return findNoted(context, { set: context.keys.waiting, limit }, (session, reply) =>
    numberAt(reply, 3) === 1 ? session : undefined,
  )
}

/**
 * Checks the sessions of a set, page by page, until enough belong there. On a cluster the set may have additional sessions, but none are
 * missing. A session that does not belong there is removed after a minute.
 */
async function findNoted<Found>(
  { connection, run, keys }: RedisContext,
  { set, limit }: { readonly set: string; readonly limit: number },
  toFound: (session: string, reply: Reply) => Found | undefined,
): Promise<readonly Found[]> {
  const found: Found[] = []
  for (let start = 0; found.length < limit;) {
    const range = [set, start, start + LOOKED_AT_ONCE - 1]
    const names = toTexts(await connection.send('zrange', range))
    const looks = await Promise.all(
      names.map(async (session) => {
        const one = toFound(session, await run(held, [keys.session(session).meta], []))
        const dropped = one === undefined ? await run(dropStale, [set], [session]) : []
        return { one, isDropped: numberAt(dropped, 0) === 1 }
      }),
    )
    found.push(...looks.flatMap(({ one }) => (one === undefined ? [] : [one])))
    if (names.length < LOOKED_AT_ONCE) break
    start += looks.filter(({ isDropped }) => !isDropped).length
  }
  return found.slice(0, limit)
}

/** Removes sessions that had no write for this time and have no lease. Returns their number. */
export async function pruneSessions(context: RedisContext, idleMs: number): Promise<number> {
  await settleOverdue(context)
  let removed = 0
  let kept = 0
  for (;;) {
    const names = toTexts(
      await context.run(idle, [context.keys.sessions], [idleMs, kept, PRUNED_AT_ONCE]),
    )
    const outcomes = await Promise.all(names.map((name) => removeSession(context, name, idleMs)))
    const count = outcomes.filter(Boolean).length
    removed += count
    kept += names.length - count
    if (names.length < PRUNED_AT_ONCE) return removed
  }
}
