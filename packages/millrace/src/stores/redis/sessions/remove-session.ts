import { OWN_COLLECTION, REMEMBERED_MS, type SeenSession } from '../../port/index.ts'
import { decodeChain } from '../branches/ancestors.ts'
import { type Link, noteLink, settleLink } from '../branches/links.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { type Reply, textAt } from '../reply.ts'
import { remove, shed } from '../scripts/index.ts'
import { statusOf } from './session-state.ts'

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
