import type { ForkPoint, LogEntry } from '../../port/index.ts'
import { ancestorsOf, sharedMissing } from '../branches/ancestors.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { bytesAt } from '../reply.ts'
import { sharedLines } from '../scripts/index.ts'
import { statusOf } from '../sessions/session-state.ts'

/** A range of frames that a branch shares, after an id up to a last one. */
interface SharedRange {
  readonly session: string
  readonly log: string
  readonly after: number
  readonly last: number
}

/** Reads a range of shared frames, each from the log that holds it. Throws if any is missing. */
export async function readSharedLines(
  context: RedisContext,
  { session, log, after, last }: SharedRange,
): Promise<LogEntry[]> {
  const chain = await ancestorsOf(context, session, log)
  const pages = await Promise.all(
    chain.toReversed().map((point, index, points) => {
      const from = Math.max(after, points[index - 1]?.frame ?? 0)
      return readFrom(context, point, from, Math.min(last, point.frame))
    }),
  )
  const found = pages.flat()
  if (found.length === last - after) return found
  throw await sharedMissing(context, session, log, after)
}

/** Reads frames of one log; empty if any is missing. */
async function readFrom(
  { run, keys }: RedisContext,
  { session, log }: ForkPoint,
  after: number,
  last: number,
): Promise<readonly LogEntry[]> {
  if (after >= last) return []
  const [live, kept] = [keys.session(session), keys.kept(session, log)]
  const names = [live.meta, live.log, kept.meta, kept.log]
  const reply = await run(sharedLines, names, [log, after, last])
  if (statusOf(reply) !== 'ok') return []
  return reply.slice(1).flatMap((_, index) => {
    const line = bytesAt(reply, index + 1)
    return line === undefined ? [] : [{ id: after + 1 + index, line }]
  })
}
