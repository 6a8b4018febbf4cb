import { cursorTrimmed, type ForkPoint, type LogEntry, sessionUnknown } from '../../port/index.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { bytesAt, FIRST_DETAIL, numberAt, statusOf } from '../reply.ts'
import { read, sharedLines, trim } from '../scripts/log.ts'
import { logTruncated } from '../connection/store-errors.ts'
import { ancestorsOf, sharedMissing } from '../branches/ancestors.ts'

/** Reads frames after an id. */
type ReadLines = (
  session: string,
  after: number,
  limit: number,
  log?: string,
) => Promise<readonly LogEntry[]>

type ReadPart = (...range: Parameters<ReadLines>) => Promise<LogEntry[]>

/** Maximum number of frames in a page, because a read blocks Redis. */
const LARGEST_PAGE = 1_000

/** Position of the lines in a reply, after the earliest id and the first id of the stream. */
const FIRST_LINE = FIRST_DETAIL + 2

/** Creates the function that reads frames, shared by simultaneous readers of the same range. */
export function createReadLines(context: RedisContext): ReadLines {
  const { run, keys, lossDetector } = context
  const share = createSharedReads<LogEntry>()

  const readPage: ReadPart = async (session, after, limit, log) => {
    const { meta, log: stream } = keys.session(session)
    const reply = await run(read, [meta, stream], [after, limit])
    const received = await lossDetector.receive(session, reply, log)
    if (received === undefined) throw sessionUnknown(session)
    const { state, isLost } = received
    const status = statusOf(reply)
    if (status === 'trimmed') throw cursorTrimmed(after, numberAt(reply, FIRST_DETAIL))
    if (status === 'truncated' || (isLost && after >= state.tail))
      throw logTruncated(session, state.tail)
    const last = Math.min(numberAt(reply, FIRST_DETAIL + 1) - 1, after + limit)
    const page =
      last > after ? await readSharedLines(context, { session, log: state.log, after, last }) : []
    for (let at = FIRST_LINE; at < reply.length; at++) {
      const line = bytesAt(reply, at)
      if (line !== undefined) page.push({ id: after + 1 + page.length, line })
    }
    return page
  }

  const readAll: ReadPart = async (session, after, limit, log) => {
    const found = await readPage(session, after, Math.max(0, Math.min(limit, LARGEST_PAGE)), log)
    while (found.length < limit && found.length % LARGEST_PAGE === 0 && found.length > 0) {
      const rest = Math.min(limit - found.length, LARGEST_PAGE)
      const page = await readPage(session, after + found.length, rest, log)
      if (page.length === 0) break
      for (const entry of page) found.push(entry)
    }
    return found
  }

  return (session, after, limit, log) =>
    share(`${after} ${limit} ${log ?? ''} ${session}`, () => readAll(session, after, limit, log))
}

/** A range of frames that a branch shares, after an id up to a last one. */
interface SharedRange {
  readonly session: string
  readonly log: string
  readonly after: number
  readonly last: number
}

/** Reads a range of shared frames, each from the log that holds it. Throws if any is missing. */
async function readSharedLines(
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

/**
 * Creates a function that shares one read among concurrent callers with the same key, such as a thousand readers of one session. A read
 * that started before a call may be too old, but only if it is empty; then the callers share the next one.
 */
export function createSharedReads<T>(): (
  key: string,
  ask: () => Promise<readonly T[]>,
) => Promise<readonly T[]> {
  const underWay = new Map<string, Promise<readonly T[]>>()

  const start = (key: string, ask: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    const asked = ask().finally(() => underWay.delete(key))
    underWay.set(key, asked)
    return asked
  }

  return async (key, ask) => {
    const current = underWay.get(key)
    if (current === undefined) return start(key, ask)
    const found = await current
    if (found.length > 0) return found
    return underWay.get(key) ?? start(key, ask)
  }
}

/** Discards the frames of a session before an id. */
export async function trimLog(
  { run, keys, lossDetector }: RedisContext,
  session: string,
  before: number,
  named: string | undefined,
): Promise<void> {
  const { meta, log } = keys.session(session)
  const reply = await run(trim, [meta, log], [before, named ?? ''])
  const received = await lossDetector.receive(session, reply, named)
  if (received === undefined) throw sessionUnknown(session)
}
