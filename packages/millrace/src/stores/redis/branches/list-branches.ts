import { type Branch } from '../../port/index.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { FIRST_DETAIL, type Reply, textAt, toReply } from '../reply.ts'
import { pins } from '../scripts/branches.ts'

/** Lists up to `limit` branches that leave the log of a session. A pin may exist without its branch, but no branch without a pin. */
export async function listBranches(
  context: RedisContext,
  session: string,
  limit: number,
  log: string | undefined,
): Promise<readonly Branch[]> {
  const { run, keys, lossDetector } = context
  const names = keys.session(session)
  const found = new Map<string, Branch>()
  let next = '0'
  do {
    const reply = await run(pins, [names.meta, names.pins], [next])
    if ((await lossDetector.receive(session, reply, log)) === undefined) return []
    const some = toPins(reply)
    const present = await Promise.all(some.map((one) => isPresent(context, one)))
    for (const [index, one] of some.entries()) if (present[index]) found.set(one.log, one.branch)
    next = textAt(reply, FIRST_DETAIL) ?? '0'
  } while (next !== '0' && found.size < limit)
  return [...found.values()].slice(0, Math.max(0, limit))
}

interface Pin {
  readonly log: string
  readonly branch: Branch
}

function toPins(reply: Reply): readonly Pin[] {
  const found: Pin[] = []
  for (let at = FIRST_DETAIL + 1; at < reply.length; at += 2) {
    const value = textAt(reply, at + 1) ?? ''
    const space = value.indexOf(' ')
    const branch = { session: value.slice(space + 1), frame: Number(value.slice(0, space)) }
    found.push({ log: textAt(reply, at) ?? '', branch })
  }
  return found
}

async function isPresent(
  { connection, keys }: RedisContext,
  { log, branch }: Pin,
): Promise<boolean> {
  const asked = [keys.session(branch.session).meta, 'log']
  return textAt(toReply(await connection.send('hmget', asked)), 0) === log
}
