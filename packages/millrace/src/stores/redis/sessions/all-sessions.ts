import {
  checkOwner,
  type HeldLease,
  type KeyedPage,
  type SessionPage,
  type SessionRange,
  toKeyedPage,
  type UnattendedSession,
} from '../../port/index.ts'
import { settleOverdue } from '../branches/links.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { removeSession } from './open-session.ts'
import { numberAt, type Reply, textAt, toReply, toTexts } from '../reply.ts'
import { dropStale, held, idle } from '../scripts/sessions.ts'

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

/** Lists leases that were not released, in the order in which they lapse, from a key on. */
export async function listLeases(
  context: RedisContext,
  limit: number,
  after: string | undefined,
): Promise<KeyedPage<HeldLease>> {
  const { keys } = context
  const toLease = (session: string, reply: Reply): HeldLease | undefined => {
    const owner = textAt(reply, 0)
    return owner === undefined ? undefined : { session, owner, hasLapsed: numberAt(reply, 1) === 1 }
  }
  const sets = [keys.leases, keys.oldLeases]
  const found = await Promise.all(
    sets.map((set) => findNoted(context, { set, limit, after }, toLease)),
  )
  const bySession = new Map(found.flat().map((noted) => [noted.row.session, noted]))
  return toPage([...bySession.values()].sort(comparePlaces).slice(0, limit), limit)
}

/** Lists sessions with pending commands and without a lease, from a key on. */
export async function listUnattended(
  context: RedisContext,
  limit: number,
  after: string | undefined,
): Promise<KeyedPage<UnattendedSession>> {
  const range = { set: context.keys.waiting, limit, after }
  const found = await findNoted(context, range, (session, reply): UnattendedSession | undefined => {
    if (numberAt(reply, 2) !== 1) return undefined
    const [inbox, pending] = [numberAt(reply, 4), numberAt(reply, 5)]
    return { session, log: textAt(reply, 3) ?? '', inbox, pending }
  })
  return toPage(found, limit)
}

interface Place {
  readonly score: number
  readonly session: string
}

interface Noted<Row> extends Place {
  readonly row: Row
}

function toPage<Row>(found: readonly Noted<Row>[], limit: number): KeyedPage<Row> {
  const toKey = ({ score, session }: Place): string => `${score} ${session}`
  return toKeyedPage(found, limit, { toRow: ({ row }) => row, toKey })
}

/** Compares places as Redis does; for equal scores, any fixed order of the sessions would do. */
function comparePlaces(a: Place, b: Place): number {
  return a.score - b.score || Buffer.compare(Buffer.from(a.session), Buffer.from(b.session))
}

function toPlace(key: string): Place {
  const space = key.indexOf(' ')
  return { score: Number(key.slice(0, space)), session: key.slice(space + 1) }
}

/**
 * Checks the sessions of a set, page by page, until enough belong there. On a cluster the set may have additional sessions, but none are
 * missing. A session that does not belong there is removed after a minute.
 */
async function findNoted<Row>(
  { connection, run, keys }: RedisContext,
  { set, limit, after }: NotedRange,
  toRow: (session: string, reply: Reply) => Row | undefined,
): Promise<readonly Noted<Row>[]> {
  const from = after === undefined ? undefined : toPlace(after)
  const found: Noted<Row>[] = []
  for (let offset = 0; found.length < limit;) {
    const range = [set, from?.score ?? '-inf', '+inf', 'BYSCORE', 'LIMIT', offset, LOOKED_AT_ONCE]
    const texts = toTexts(await connection.send('zrange', [...range, 'WITHSCORES']))
    const places = texts.flatMap((session, index) =>
      index % 2 === 0 ? { session, score: Number(texts[index + 1]) } : [],
    )
    const looks = await Promise.all(
      places.map(async (place) => {
        if (from !== undefined && comparePlaces(place, from) <= 0) return { isDropped: false }
        const { session } = place
        const row = toRow(session, await run(held, [keys.session(session).meta], []))
        if (row !== undefined) return { one: { ...place, row }, isDropped: false }
        const isDropped = numberAt(await run(dropStale, [set], [session]), 0) === 1
        return { isDropped }
      }),
    )
    found.push(...looks.flatMap(({ one }) => one ?? []))
    if (places.length < LOOKED_AT_ONCE) break
    offset += looks.filter(({ isDropped }) => !isDropped).length
  }
  return found.slice(0, limit)
}

interface NotedRange {
  readonly set: string
  readonly limit: number
  /** Key of the last entry of the page before. */
  readonly after: string | undefined
}

/** Removes sessions that had no write for this time and have no lease. Returns their number. */
export async function pruneSessions(
  context: RedisContext,
  idleMs: number,
  isKept: (head: string | undefined) => boolean = () => false,
): Promise<number> {
  const { connection, keys } = context
  await settleOverdue(context)
  const removeUnlessKept = async (name: string): Promise<boolean> => {
    const reply = toReply(
      await connection.send('hmget', [keys.session(name).meta, 'head', 'summary']),
    )
    if (isKept(textAt(reply, 0) ?? textAt(reply, 1))) return false
    return removeSession(context, name, { idleMs })
  }
  let removed = 0
  let kept = 0
  for (;;) {
    const names = toTexts(await context.run(idle, [keys.sessions], [idleMs, kept, PRUNED_AT_ONCE]))
    const outcomes = await Promise.all(names.map(removeUnlessKept))
    const count = outcomes.filter(Boolean).length
    removed += count
    kept += names.length - count
    if (names.length < PRUNED_AT_ONCE) return removed
  }
}
