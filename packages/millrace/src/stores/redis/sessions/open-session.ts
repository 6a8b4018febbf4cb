import {
  checkOwner,
  createLogId,
  type Lease,
  leaseLost,
  OWN_COLLECTION,
  REMEMBERED_MS,
  type SeenSession,
  type SessionInfo,
  sessionUnknown,
} from '../../port/index.ts'
import { decodeChain } from '../branches/ancestors.ts'
import type { RedisContext } from '../create-redis-context.ts'
import {
  FIRST_DETAIL,
  numberAt,
  type Reply,
  type SessionState,
  stateOf,
  statusOf,
  textAt,
  toSeen,
} from '../reply.ts'
import { look, open, remove, renew } from '../scripts/sessions.ts'
import { logTruncated } from '../connection/store-errors.ts'
import { type Link, noteLink, settleLink } from '../branches/links.ts'
import { shed } from '../scripts/log.ts'

/** Makes the caller the writer of a session, and creates the session if there is none. */
export async function openSession(
  { run, keys, lossDetector, shared, note }: RedisContext,
  session: string,
  lease: Lease | undefined,
  expected: number | undefined,
  owner: string | null = null,
): Promise<SessionInfo> {
  checkOwner(owner)
  const { meta, gone, parts, numbers, inbox, pending, pins, channel } = keys.session(session)
  const grant = [lease?.owner ?? '', lease?.ms ?? '']
  // Recorded in advance: an unrecorded lease would never be taken over.
  await note(session, { change: 'open', owner, lease: lease?.ms, isWaiting: lease === undefined })
  const seen = toSeen(lossDetector.lastKnown(session))
  const fence = [expected ?? '', createLogId(), owner ?? '']
  const reply = await run(
    open,
    [meta, gone, parts, numbers, inbox, pending, pins, ...shared],
    [session, channel, crypto.randomUUID(), ...grant, ...fence, ...seen],
  )
  const state = stateOf(reply)
  if (statusOf(reply) === 'fenced') throw leaseLost(session, expected ?? 0, state.epoch)
  // The script has already compared the earlier state.
  lossDetector.forget(session)
  await lossDetector.record(session, state)
  if (statusOf(reply) === 'truncated') throw logTruncated(session, state.tail)
  const info = toInfo(session, reply)
  await noteOwner(note, info, owner)
  return info
}

/** Corrects a recorded owner that the session does not have. */
export async function noteOwner(
  note: RedisContext['note'],
  { session, owner }: SessionInfo,
  noted: string | null,
): Promise<void> {
  if (owner !== noted) await note(session, { change: 'open', owner, notOwner: noted })
}

/** Reads the facts about a session; undefined if there is none. */
export async function lookAtSession(
  { run, keys, lossDetector }: RedisContext,
  session: string,
): Promise<SessionInfo | undefined> {
  const reply = await run(look, [keys.session(session).meta], [createLogId()])
  const received = await lossDetector.receive(session, reply)
  return received && toInfo(session, reply)
}

/** Returns the tail and the log of a session for a wait; throws if no frame can follow. */
export async function endOfLog(
  { run, keys, lossDetector }: RedisContext,
  session: string,
): Promise<Pick<SessionState, 'tail' | 'log'>> {
  const reply = await run(look, [keys.session(session).meta], [createLogId()])
  const received = await lossDetector.receive(session, reply)
  if (received === undefined) throw sessionUnknown(session)
  const { state, isLost } = received
  if (isLost || textAt(reply, 13) !== undefined) throw logTruncated(session, state.tail)
  return state
}

/** Decodes the head and fence of a session from a description. */
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

/** Renews the lease of a session; returns the version of its inbox. */
export async function renewLease(
  { run, keys, lossDetector, shared, note }: RedisContext,
  session: string,
  epoch: number,
  { owner, ms }: Lease,
  log = '',
): Promise<{ inbox: number }> {
  const seen = lossDetector.lastKnown(session)
  const writer = seen?.epoch === epoch ? seen.writer : ''
  const reply = await run(
    renew,
    [keys.session(session).meta, ...shared],
    [session, epoch, writer, owner, ms, log],
  )
  const status = statusOf(reply)
  const state = stateOf(reply)
  if (status === 'truncated') throw logTruncated(session, state.tail)
  if (status !== 'ok') {
    await lossDetector.verify(session)
    throw status === 'missing' ? sessionUnknown(session) : leaseLost(session, epoch, state.epoch)
  }
  if (await lossDetector.record(session, state)) throw logTruncated(session, state.tail)
  await note(session, { lease: ms })
  return { inbox: numberAt(reply, FIRST_DETAIL) }
}

/** The condition of a removal: the session was idle for a time, or is in a state; it has no lease. Always met if absent. */
interface RemovalCondition {
  readonly idleMs?: number
  readonly seen?: SeenSession | undefined
}

/** Removes a session if it meets the condition; false if it was not removed. */
export async function removeSession(
  context: RedisContext,
  session: string,
  condition: RemovalCondition = {},
): Promise<boolean> {
  const { lossDetector, keys, note } = context
  const token = crypto.randomUUID()
  let link: Link | undefined
  let reply = await askToRemove(context, session, { ...condition, token, log: '' })
  while (statusOf(reply) === 'branch') {
    const log = textAt(reply, 1) ?? ''
    const [parent] = decodeChain(textAt(reply, 2))
    if (parent !== undefined) link = await noteLink(context, parent, { session, log })
    reply = await askToRemove(context, session, { ...condition, token, log })
  }
  const isRemoved = statusOf(reply) === 'ok'
  if (isRemoved) {
    lossDetector.forget(session)
    keys.forget(session)
  }
  const owner = isRemoved ? textAt(reply, 2) : undefined
  const isFree = condition.idleMs === undefined && condition.seen === undefined
  if (isRemoved || isFree) await note(session, { change: 'remove', owner })
  const kept = isRemoved ? textAt(reply, 1) : undefined
  if (kept !== undefined) await dropUnshared(context, session, kept)
  if (link !== undefined) await settleLink(context, link)
  return isRemoved
}

/** Deletes data of a kept log that no branch shares. */
async function dropUnshared(
  { run, keys }: RedisContext,
  session: string,
  kept: string,
): Promise<void> {
  const { meta, log, parts, numbers } = keys.kept(session, kept)
  for (let at = '-'; at !== '';)
    at = textAt(await run(shed, [meta, log, parts, numbers], [at, OWN_COLLECTION]), 0) ?? ''
}

function askToRemove(
  { run, keys, shared }: RedisContext,
  session: string,
  { token, idleMs, seen, log }: RemovalCondition & { readonly token: string; readonly log: string },
): Promise<Reply> {
  const { base, meta, gone, channel, filePrefix: _, ...others } = keys.session(session)
  const state = seen === undefined ? ['', '', '', ''] : toState(seen)
  return run(
    remove,
    [meta, gone, ...shared, ...Object.values(others)],
    [session, channel, token, REMEMBERED_MS, base, idleMs ?? '', shared.length, log, ...state],
  )
}

function toState({ log, epoch, tail, inbox }: SeenSession): readonly (string | number)[] {
  return [log, epoch, tail, inbox]
}
