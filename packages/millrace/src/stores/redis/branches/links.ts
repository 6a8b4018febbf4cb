import { decodeChain } from './ancestors.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { numberAt, statusOf, textAt, toTexts } from '../reply.ts'
import { discard, link, present, unpin } from '../scripts/branches.ts'
import { idle } from '../scripts/sessions.ts'

interface NamedLog {
  readonly session: string
  readonly log: string
}

/**
 * A pending pin change of a branch in its parent log. The two logs may be in different slots, so the change is recorded first: if a process
 * ends in between, {@link settleOverdue} finds it.
 */
export interface Link {
  readonly parent: NamedLog
  readonly child: NamedLog
  /** The recorded text. */
  readonly entry: string
  /** Time of the record by the clock of Redis, in microseconds. */
  readonly at: number
}

/** Age after which no process is working on a change. */
const OVERDUE_MS = 600_000
const SETTLED_AT_ONCE = 20

/** Records the start of a pin change. */
export async function noteLink(
  { run, keys }: RedisContext,
  parent: NamedLog,
  child: NamedLog,
): Promise<Link> {
  // Each change has a unique text, so that completing one does not hide another.
  const change = crypto.randomUUID()
  const entry = JSON.stringify([parent.session, parent.log, child.session, child.log, change])
  return { parent, child, entry, at: numberAt(await run(link, [keys.links], [entry]), 0) }
}

/** Deletes the record of a complete change. */
export async function forgetLink(
  { connection, keys }: RedisContext,
  { entry }: Pick<Link, 'entry'>,
): Promise<void> {
  await connection.send('zrem', [keys.links, entry])
}

/** Removes the pin of a missing branch, with all data that is no longer shared. Can be repeated at any time. */
export async function settleLink(context: RedisContext, first: Omit<Link, 'at'>): Promise<void> {
  for (let next: Omit<Link, 'at'> | undefined = first; next !== undefined;) {
    const current: Omit<Link, 'at'> = next
    next = (await isPresent(context, current.child)) ? undefined : await dropPin(context, current)
    await forgetLink(context, current)
  }
}

/** Completes pin changes whose processes have ended. */
export async function settleOverdue(context: RedisContext): Promise<void> {
  const { run, keys } = context
  const found = toTexts(await run(idle, [keys.links], [OVERDUE_MS, 0, SETTLED_AT_ONCE]))
  for (const entry of found) {
    const [parent = '', parentLog = '', child = '', childLog = ''] = JSON.parse(entry) as string[]
    const named = { parent: { session: parent, log: parentLog } }
    await settleLink(context, { ...named, child: { session: child, log: childLog }, entry })
  }
}

async function isPresent(
  { run, keys }: RedisContext,
  { session, log }: NamedLog,
): Promise<boolean> {
  const names = [keys.session(session).meta, keys.kept(session, log).meta]
  return numberAt(await run(present, names, [log]), 0) === 1
}

/** Removes a pin. If the parent was only kept for branches and this was the last one, discards it and returns its own link. */
async function dropPin(
  context: RedisContext,
  { parent, child }: Pick<Link, 'parent' | 'child'>,
): Promise<Link | undefined> {
  const { run, keys } = context
  const kept = keys.kept(parent.session, parent.log)
  const reply = await run(unpin, pinKeys(context, parent), [parent.log, child.log])
  if (statusOf(reply) !== 'unused') return undefined
  const [grandparent] = decodeChain(textAt(reply, 1))
  const above = grandparent && (await noteLink(context, grandparent, parent))
  const { meta, files, log, parts, numbers, history, conversations, filePrefix } = kept
  await run(discard, [meta, files, log, parts, numbers, history, conversations], [filePrefix])
  return above
}

/** Returns the keys to find the pins of a log, whether its session exists or was removed. */
export function pinKeys({ keys }: RedisContext, { session, log }: NamedLog): readonly string[] {
  return [keys.session(session), keys.kept(session, log)].flatMap((names) => [
    names.meta,
    names.log,
    names.pins,
  ])
}
