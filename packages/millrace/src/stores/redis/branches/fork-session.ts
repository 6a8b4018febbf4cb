import {
  checkFork,
  checkHead,
  checkOwner,
  compareFork,
  compareLog,
  createLogId,
  type Fork,
  type ForkPoint,
  type SessionInfo,
  sessionUnknown,
} from '../../port/index.ts'
import { ancestorsOf, encodeChain } from './ancestors.ts'
import { forgetLink, type Link, noteLink, pinKeys, settleLink, settleOverdue } from './links.ts'
import { lookAtSession, noteOwner, toInfo } from '../sessions/open-session.ts'
import { toPartChange } from '../log/read-parts.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { branch, pin } from '../scripts/branches.ts'
import { stateOf, statusOf } from '../reply.ts'
import { logTruncated, storeUnavailable } from '../connection/store-errors.ts'

/** A branch to create. */
interface Plan {
  /** Its fork point, followed by those of its ancestors. */
  readonly chain: readonly [ForkPoint, ...ForkPoint[]]
  /** The earliest readable frame. */
  readonly earliest: number
}

/** Maximum number of attempts, if the source is removed, trimmed or replaced meanwhile. */
const ATTEMPTS = 5

const LATE =
  'A branch was not created within 5 minutes. Check that the clocks of all nodes of Redis agree.'

/**
 * Creates a branch in repeatable steps: records the change, pins the branch in the slot of the shared log, creates it in its own slot, then
 * deletes the record.
 */
export async function forkSession(context: RedisContext, fork: Fork): Promise<SessionInfo> {
  // The next fork repeats a failed cleanup.
  void settleOverdue(context).catch(() => {})
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = await planFork(context, fork)
    if ('session' in plan) return plan
    const info = await createBranch(context, fork, plan)
    if (info !== undefined) return info
  }
  throw logTruncated(fork.from, fork.frame)
}

/** Finds the log that a branch shares; returns the branch if it exists. */
async function planFork(context: RedisContext, fork: Fork): Promise<Plan | SessionInfo> {
  const { from, log, frame, to, head } = fork
  const [source, known] = await Promise.all([
    lookAtSession(context, from),
    lookAtSession(context, to),
  ])
  if (source === undefined) throw sessionUnknown(from)
  compareLog(from, log, source.log)
  checkHead(head)
  checkOwner(fork.owner)
  const { tail, earliest, parent } = source
  const above = parent === undefined ? [] : await ancestorsOf(context, from, source.log)
  const chain = toChain({ session: from, log: source.log, frame }, above)
  if (known !== undefined) {
    compareFork(fork, known.parent, chain[0])
    return known
  }
  checkFork(fork, { tail, earliest, ancestors: chain.length })
  return { chain, earliest }
}

/** Returns the fork points of a branch. A branch of a branch shares a frame with the ancestor that wrote it. */
function toChain(point: ForkPoint, above: readonly ForkPoint[]): Plan['chain'] {
  const at = above.findLastIndex((ancestor) => point.frame <= ancestor.frame)
  return [{ ...point, ...above[at], frame: point.frame }, ...above.slice(at + 1)]
}

/** Pins and creates a branch; undefined if the source has changed since planning. */
async function createBranch(
  context: RedisContext,
  fork: Fork,
  plan: Plan,
): Promise<SessionInfo | undefined> {
  const [point] = plan.chain
  const link = await noteLink(context, point, { session: fork.to, log: createLogId() })
  const status = await pinBranch(context, link, plan)
  const info = status === 'ok' ? await writeBranch(context, fork, plan, link) : undefined
  if (info?.log === link.child.log) await forgetLink(context, link)
  else await settleLink(context, link)
  if (info !== undefined) compareFork(fork, info.parent, point)
  if (status === 'truncated') throw logTruncated(fork.from, point.frame)
  const isLate = status === 'late' || (status === 'ok' && info === undefined)
  if (isLate) throw storeUnavailable(new Error(LATE))
  return info
}

async function pinBranch(context: RedisContext, { parent, child, at }: Link, plan: Plan) {
  const { run, keys, shared } = context
  const { parts, numbers, inbox, pending } = keys.session(parent.session)
  const [{ frame }, next] = plan.chain
  const needed = Math.max(plan.earliest, (next?.frame ?? 0) + 1)
  const reply = await run(
    pin,
    [...pinKeys(context, parent), parts, numbers, inbox, pending, ...shared],
    [parent.log, child.log, child.session, frame, needed, at, parent.session],
  )
  return statusOf(reply)
}

/** Creates a branch. Returns the session of that name if there is one by now; undefined if the pin is too old. */
async function writeBranch(
  { run, keys, shared, lossDetector, note, ancestors }: RedisContext,
  { to, head, owner = null, parts: changes = [], lease }: Fork,
  { chain, earliest }: Plan,
  { child, at }: Link,
): Promise<SessionInfo | undefined> {
  const { meta, gone, parts, numbers, inbox, pending, pins } = keys.session(to)
  await note(to, { change: 'write', owner, lease: lease?.ms })
  const about = [to, child.log, crypto.randomUUID(), at, chain[0].frame, earliest, head]
  const places = [encodeChain(chain.slice(0, 1)), encodeChain(chain)]
  const granted = [lease?.owner ?? '', lease?.ms ?? '']
  const reply = await run(
    branch,
    [meta, gone, parts, numbers, inbox, pending, pins, ...shared],
    [...about, ...places, owner ?? '', ...granted, ...changes.flatMap(toPartChange)],
  )
  if (statusOf(reply) === 'late') return undefined
  await lossDetector.record(to, stateOf(reply))
  const info = toInfo(to, reply)
  await noteOwner(note, info, owner)
  if (info.log === child.log) ancestors.set(info.log, chain)
  return info
}
