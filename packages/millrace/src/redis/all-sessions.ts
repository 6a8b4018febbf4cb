import type { HeldLease, SessionPage } from '../store/index.ts'
import type { RedisContext } from './redis-context.ts'
import { numberAt, textAt, toReply } from './reply.ts'
import { dropStale, held, idle, remove } from './scripts/index.ts'
import { MARK_MS } from './marks.ts'

const PRUNED_AT_ONCE = 100

/** The sessions, the one written to last first. */
export async function listSessions(
  { connection, keys }: RedisContext,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<SessionPage> {
  if (limit <= 0)
    return { rows: [], total: Number(await connection.send('zcard', [keys.sessions])) }
  const [total, names] = await Promise.all([
    connection.send('zcard', [keys.sessions]),
    connection.send('zrevrange', [keys.sessions, offset, offset + limit - 1]),
  ])
  const rows = await Promise.all(
    toTexts(names).map(async (session) => {
      const row = toReply(
        await connection.send('hmget', [keys.session(session).meta, 'tail', 'summary']),
      )
      if (textAt(row, 0) === undefined) return []
      return [{ session, tail: numberAt(row, 0), summary: textAt(row, 1) }]
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
  const names = toTexts(await connection.send('zrange', [keys.leases, 0, limit - 1]))
  const leases = await Promise.all(
    names.map(async (session) => {
      const reply = await run(held, [keys.session(session).meta], [])
      const owner = textAt(reply, 0)
      if (owner !== undefined) return [{ session, owner, hasLapsed: numberAt(reply, 1) === 1 }]
      await run(dropStale, [keys.leases], [session])
      return []
    }),
  )
  return leases.flat()
}

/** Forgets a session, or only if it was idle for so long; false if there is none to forget. */
export async function removeSession(
  { run, keys, witness, shared, note }: RedisContext,
  session: string,
  idleMs?: number,
): Promise<boolean> {
  const { meta, log, history, conversations, files, gone, channel, filePrefix } =
    keys.session(session)
  const reply = await run(
    remove,
    [meta, log, history, conversations, files, gone, ...shared],
    [session, channel, crypto.randomUUID(), 2 * MARK_MS, filePrefix, idleMs ?? ''],
  )
  const isRemoved = numberAt(reply, 0) === 1
  if (isRemoved) witness.forget(session)
  if (isRemoved || idleMs === undefined) await note(session, 'remove', 'release')
  return isRemoved
}

/** Removes what nobody has written to for so long and nobody holds a lease on; gives how many. */
export async function pruneSessions(context: RedisContext, idleMs: number): Promise<number> {
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

function toTexts(value: unknown): string[] {
  const reply = toReply(value)
  return reply.flatMap((_, index) => textAt(reply, index) ?? [])
}
