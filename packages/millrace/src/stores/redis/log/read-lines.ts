import { compareLog, cursorTrimmed, type LogEntry, sessionUnknown } from '../../port/index.ts'
import { readSharedLines } from './read-shared-lines.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { bytesAt, numberAt } from '../reply.ts'
import { read } from '../scripts/index.ts'
import { createSharedReads } from './shared-reads.ts'
import { FIRST_DETAIL, stateOf, statusOf } from '../sessions/session-state.ts'
import { logTruncated } from '../connection/store-errors.ts'

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

/** Creates the function that reads frames. */
export function createReadLines(context: RedisContext): ReadLines {
  const { run, keys, lossDetector } = context
  const share = createSharedReads<LogEntry>()

  const readPage: ReadPart = async (session, after, limit, log) => {
    const { meta, log: stream } = keys.session(session)
    const reply = await run(read, [meta, stream], [after, limit])
    const status = statusOf(reply)
    if (status === 'missing') {
      await lossDetector.verify(session)
      throw sessionUnknown(session)
    }
    const state = stateOf(reply)
    compareLog(session, log, state.log)
    const isLost = await lossDetector.record(session, state)
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
