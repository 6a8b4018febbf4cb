import type { MillraceError } from '../../../errors/index.ts'
import { type ForkPoint, sessionUnknown } from '../../port/index.ts'
import type { RedisContext } from '../redis-context.ts'
import { textAt, toReply } from '../reply.ts'
import { logTruncated } from '../connection/store-errors.ts'

/** The ancestors of logs that this process has read, by the id of the log. They never change. */
export interface Ancestors {
  get(log: string): readonly ForkPoint[] | undefined
  set(log: string, chain: readonly ForkPoint[]): void
}

/** So many fork points are remembered in all; beyond that all are read again. */
const MAX_POINTS = 20_000

/** Creates an empty memory of ancestors. */
export function createAncestors(maxPoints = MAX_POINTS): Ancestors {
  const chains = new Map<string, readonly ForkPoint[]>()
  let points = 0
  return {
    get: (log) => chains.get(log),
    set: (log, chain) => {
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

/** The fork points through which a session reads, its own first; none if it is no branch. Throws `not_found` if its log is gone. */
export async function ancestorsOf(
  context: RedisContext,
  session: string,
  log: string,
): Promise<readonly ForkPoint[]> {
  const chain = await findAncestors(context, session, log)
  if (chain === undefined) throw sessionUnknown(session)
  return chain
}

/** The fork points through which a session reads now; none if it is no branch, or not there. */
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

/** Says why a branch could not read what it shares after a frame: it was removed meanwhile, or Redis has lost that. */
export async function sharedMissing(
  { connection, keys }: RedisContext,
  session: string,
  log: string,
  frame: number,
): Promise<MillraceError> {
  const reply = toReply(await connection.send('hmget', [keys.session(session).meta, 'log']))
  return textAt(reply, 0) === log ? logTruncated(session, frame) : sessionUnknown(session)
}

/** Writes fork points as the text that is stored with a branch. */
export function encodeChain(chain: readonly ForkPoint[]): string {
  return JSON.stringify(chain.map(({ session, log, frame }) => [session, log, frame]))
}

/** Reads the text of {@link encodeChain}; none for no text. */
export function decodeChain(text = '[]'): readonly ForkPoint[] {
  const points: unknown = JSON.parse(text)
  if (!Array.isArray(points)) return []
  return points.map(([session, log, frame]: [string, string, number]) => ({ session, log, frame }))
}
