import {
  checkOwner,
  type HeldLease,
  type SessionPage,
  type SessionRange,
} from '../../port/index.ts'
import { settleOverdue } from '../branches/links.ts'
import type { RedisContext } from '../redis-context.ts'
import { removeSession } from './remove-session.ts'
import { numberAt, textAt, toReply, toTexts } from '../reply.ts'
import { dropStale, held, idle } from '../scripts/index.ts'

const PRUNED_AT_ONCE = 100
const LOOKED_AT_ONCE = 100

/** The sessions, the one written to last first. */
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
      // An owner is noted before the session is created, and older versions remove sessions without a look at owners.
      if (!isListed && asked !== undefined) await run(dropStale, [set], [session])
      // Version 0.1.0 has called the head a summary.
      const head = textAt(row, 1) ?? textAt(row, 2)
      return isListed ? [{ session, tail: numberAt(row, 0), head, owner }] : []
    }),
  )
  return { rows: rows.flat(), total: Number(total) }
}

/** Leases that were not given up, those that lapse first first. */
export async function listLeases(
  { connection, run, keys }: RedisContext,
  limit: number,
): Promise<readonly HeldLease[]> {
  if (limit <= 0) return []
  const look = async (set: string) => {
    const names = toTexts(await connection.send('zrange', [set, 0, limit - 1]))
    const found = await Promise.all(
      names.map(async (session) => {
        const reply = await run(held, [keys.session(session).meta], [])
        const owner = textAt(reply, 0)
        if (owner === undefined) await run(dropStale, [set], [session])
        const lapses = numberAt(reply, 2)
        return owner === undefined
          ? []
          : [{ session, owner, hasLapsed: numberAt(reply, 1) === 1, lapses }]
      }),
    )
    return found.flat()
  }
  const found = (await Promise.all([keys.leases, keys.oldLeases].map(look))).flat()
  const bySession = new Map(found.map((lease) => [lease.session, lease]))
  return [...bySession.values()]
    .sort((a, b) => a.lapses - b.lapses)
    .slice(0, limit)
    .map(({ session, owner, hasLapsed }) => ({ session, owner, hasLapsed }))
}

/** Sessions with pending commands that nobody holds a lease on. The set may name others, never too few. */
export async function listUnattended(
  { connection, run, keys }: RedisContext,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = []
  for (let start = 0; found.length < limit;) {
    const range = [keys.waiting, start, start + LOOKED_AT_ONCE - 1]
    const names = toTexts(await connection.send('zrange', range))
    const outcomes = await Promise.all(
      names.map(async (session) => {
        const isWaiting = numberAt(await run(held, [keys.session(session).meta], []), 3) === 1
        const dropped = isWaiting ? [] : await run(dropStale, [keys.waiting], [session])
        return { session, isWaiting, isDropped: numberAt(dropped, 0) === 1 }
      }),
    )
    found.push(...outcomes.filter(({ isWaiting }) => isWaiting).map(({ session }) => session))
    if (names.length < LOOKED_AT_ONCE) break
    start += outcomes.filter(({ isDropped }) => !isDropped).length
  }
  return found.slice(0, limit)
}

/** Removes what nobody has written to for so long and nobody holds a lease on; gives how many. */
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
