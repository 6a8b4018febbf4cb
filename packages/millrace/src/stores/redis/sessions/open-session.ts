import {
  checkOwner,
  createLogId,
  type Lease,
  leaseLost,
  type SessionInfo,
  sessionUnknown,
} from '../../port/index.ts'
import { decodeChain } from '../branches/ancestors.ts'
import type { RedisContext } from '../redis-context.ts'
import { numberAt, type Reply, textAt } from '../reply.ts'
import { look, open } from '../scripts/index.ts'
import { type SessionState, stateOf, statusOf, toSeen } from './session-state.ts'
import { logTruncated } from '../connection/store-errors.ts'

/** Becomes the writer of a session, which makes it if there is none. */
export async function openSession(
  { run, keys, witness, shared, note }: RedisContext,
  session: string,
  lease: Lease | undefined,
  expected: number | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  checkOwner(owner)
  const { meta, gone, parts, numbers, inbox, pending, pins, channel } = keys.session(session)
  const grant = [lease?.owner ?? '', lease?.ms ?? '']
  // Noted before it is so: a lease that nobody knows of would never be taken over.
  await note(session, { change: 'write', owner, lease: lease?.ms, isWaiting: lease === undefined })
  const seen = toSeen(witness.mark(session))
  const fence = [expected ?? '', createLogId(), owner ?? '']
  const reply = await run(
    open,
    [meta, gone, parts, numbers, inbox, pending, pins, ...shared],
    [session, channel, crypto.randomUUID(), ...grant, ...fence, ...seen],
  )
  const state = stateOf(reply)
  if (statusOf(reply) === 'fenced') throw leaseLost(session, expected ?? 0, state.epoch)
  // The script has compared what was seen before.
  witness.forget(session)
  await witness.see(session, state)
  if (statusOf(reply) === 'truncated') throw logTruncated(session, state.tail)
  if (lease === undefined) await note(session, { lease: 'release' })
  const info = toInfo(session, reply)
  await noteOwner(note, info, owner)
  return info
}

/** Corrects the list of an owner that was noted for a session which turned out to have another one, or none. */
export async function noteOwner(
  note: RedisContext['note'],
  { session, owner }: SessionInfo,
  noted: string | null,
): Promise<void> {
  if (owner !== noted) await note(session, { change: 'write', owner, notOwner: noted })
}

/** Looks at a session; undefined if there is none. */
export async function lookAtSession(
  { run, keys, witness }: RedisContext,
  session: string,
): Promise<SessionInfo | undefined> {
  const reply = await run(look, [keys.session(session).meta], [createLogId()])
  if (statusOf(reply) === 'missing') {
    await witness.doubt(session)
    return undefined
  }
  await witness.see(session, stateOf(reply))
  return toInfo(session, reply)
}

/** Where the log of a session ends, for those who want to wait there; throws if nothing will follow it. */
export async function endOfLog(
  { run, keys, witness }: RedisContext,
  session: string,
): Promise<Pick<SessionState, 'tail' | 'log'>> {
  const reply = await run(look, [keys.session(session).meta], [createLogId()])
  if (statusOf(reply) === 'missing') {
    await witness.doubt(session)
    throw sessionUnknown(session)
  }
  const state = stateOf(reply)
  const isLost = await witness.see(session, state)
  if (isLost || textAt(reply, 13) !== undefined) throw logTruncated(session, state.tail)
  return state
}

/** Reads the head and the fence of a session as scripts describe them. */
export function toInfo(session: string, reply: Reply): SessionInfo {
  const { epoch, tail, log } = stateOf(reply)
  const place = { log, generation: numberAt(reply, 12), tail, earliest: numberAt(reply, 6), epoch }
  const commands = { inbox: numberAt(reply, 8), pending: numberAt(reply, 9) }
  const [parent] = decodeChain(textAt(reply, 14))
  const info = {
    session,
    ...place,
    ...commands,
    head: textAt(reply, 7),
    owner: textAt(reply, 15) ?? null,
    ...(parent && { parent }),
  }
  const holder = textAt(reply, 10)
  if (holder === undefined) return info
  return { ...info, lease: { owner: holder, hasLapsed: numberAt(reply, 11) === 1 } }
}
