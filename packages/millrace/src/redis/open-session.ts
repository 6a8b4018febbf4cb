import { type Lease, leaseLost, type SessionInfo, sessionUnknown } from '../store/index.ts'
import type { RedisContext } from './redis-context.ts'
import { numberAt, type Reply, textAt } from './reply.ts'
import { look, open } from './scripts/index.ts'
import { stateOf, statusOf } from './session-state.ts'
import { logTruncated } from './store-errors.ts'

/** Becomes the writer of a session, which makes it if there is none. */
export async function openSession(
  { run, keys, witness, shared, note }: RedisContext,
  session: string,
  lease: Lease | undefined,
  expected: number | undefined,
): Promise<SessionInfo> {
  const { meta, gone, channel } = keys.session(session)
  const { epoch = '', writer = '', tail = '' } = witness.mark(session) ?? {}
  const owner = lease?.owner ?? ''
  const ms = lease?.ms ?? ''
  // Noted before it is so: a lease that nobody knows of would never be taken over.
  await note(session, 'write', lease?.ms)
  const reply = await run(
    open,
    [meta, gone, ...shared],
    [session, channel, crypto.randomUUID(), owner, ms, epoch, writer, tail, expected ?? ''],
  )
  const state = stateOf(reply)
  if (statusOf(reply) === 'fenced') throw leaseLost(session, expected ?? 0, state.epoch)
  // The script has compared what was seen before.
  witness.forget(session)
  await witness.see(session, state)
  if (statusOf(reply) === 'truncated') throw logTruncated(session, state.tail)
  if (lease === undefined) await note(session, '', 'release')
  return toInfo(session, reply)
}

/** Looks at a session; undefined if there is none. */
export async function lookAtSession(
  { run, keys, witness }: RedisContext,
  session: string,
): Promise<SessionInfo | undefined> {
  const reply = await run(look, [keys.session(session).meta], [])
  if (statusOf(reply) === 'missing') {
    await witness.doubt(session)
    return undefined
  }
  await witness.see(session, stateOf(reply))
  return toInfo(session, reply)
}

/** The tail of a session for those who want to wait there; throws if nothing will follow it. */
export async function tailOfSession(
  { run, keys, witness }: RedisContext,
  session: string,
): Promise<number> {
  const reply = await run(look, [keys.session(session).meta], [])
  if (statusOf(reply) === 'missing') {
    await witness.doubt(session)
    throw sessionUnknown(session)
  }
  const state = stateOf(reply)
  const isLost = await witness.see(session, state)
  if (isLost || textAt(reply, 9) !== undefined) throw logTruncated(session, state.tail)
  return state.tail
}

function toInfo(session: string, reply: Reply): SessionInfo {
  const { epoch, tail } = stateOf(reply)
  const json = textAt(reply, 5)
  const record = json === undefined ? undefined : { json, summary: textAt(reply, 6) ?? '' }
  const info = { session, tail, earliest: numberAt(reply, 4), epoch, record }
  const owner = textAt(reply, 7)
  if (owner === undefined) return info
  return { ...info, lease: { owner, hasLapsed: numberAt(reply, 8) === 1 } }
}
