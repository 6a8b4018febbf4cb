import type { MillraceError } from '../../../errors/index.ts'
import { type ForkPoint, sessionUnknown } from '../../port/index.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { textAt, toReply } from '../reply.ts'
import { logTruncated } from '../connection/store-errors.ts'

/** Cache of the ancestors of logs, by log id. They never change. */
export type Ancestors = ReturnType<typeof createAncestors>

/** Maximum number of cached fork points. The cache is cleared above it. */
const MAX_POINTS = 20_000

/** Creates a cache of the ancestors of logs, which never change. */
export function createAncestors(maxPoints = MAX_POINTS) {
  const chains = new Map<string, readonly ForkPoint[]>()
  let points = 0
  return {
    get: (log: string): readonly ForkPoint[] | undefined => chains.get(log),
    set: (log: string, chain: readonly ForkPoint[]) => {
      if (chains.has(log)) return
      if (points + chain.length > maxPoints) {
        chains.clear()
        points = 0
      }
      points += chain.length
      chains.set(log, chain)
    },
  }
}

/** Returns the fork points of a session's shared logs, its own first; empty for no branch. Throws `not_found` if its log does not exist. */
export async function ancestorsOf(
  context: RedisContext,
  session: string,
  log: string,
): Promise<readonly ForkPoint[]> {
  const chain = await findAncestors(context, session, log)
  if (chain === undefined) throw sessionUnknown(session)
  return chain
}

/** Returns the fork points of a session's present log; empty if it is not a branch or does not exist. */
export async function presentAncestors(
  context: RedisContext,
  session: string,
): Promise<readonly ForkPoint[]> {
  const { meta } = context.keys.session(session)
  const reply = toReply(await context.connection.send('hmget', [meta, 'log', 'parent']))
  const log = textAt(reply, 0)
  if (log === undefined || textAt(reply, 1) === undefined) return []
  return (await findAncestors(context, session, log)) ?? []
}

async function findAncestors(
  { connection, keys, ancestors }: RedisContext,
  session: string,
  log: string,
): Promise<readonly ForkPoint[] | undefined> {
  const known = ancestors.get(log)
  if (known !== undefined) return known
  const reply = toReply(
    await connection.send('hmget', [keys.session(session).meta, 'log', 'chain']),
  )
  if (textAt(reply, 0) !== log) return undefined
  const chain = decodeChain(textAt(reply, 1))
  if (chain.length > 0) ancestors.set(log, chain)
  return chain
}

/** Returns the error for missing shared data: the branch was removed meanwhile, or Redis has lost data. */
export async function sharedMissing(
  { connection, keys }: RedisContext,
  session: string,
  log: string,
  frame: number,
): Promise<MillraceError> {
  const reply = toReply(await connection.send('hmget', [keys.session(session).meta, 'log']))
  return textAt(reply, 0) === log ? logTruncated(session, frame) : sessionUnknown(session)
}

/** Encodes ancestors for a script. */
export function encodeChain(chain: readonly ForkPoint[]): string {
  return JSON.stringify(chain.map(({ session, log, frame }) => [session, log, frame]))
}

/** Decodes the text of {@link encodeChain}; empty for no text. */
export function decodeChain(text = '[]'): readonly ForkPoint[] {
  const points: unknown = JSON.parse(text)
  if (!Array.isArray(points)) return []
  return points.map(([session, log, frame]: [string, string, number]) => ({ session, log, frame }))
}
