import { compareLog, type Part, type PartRange } from '../store/index.ts'
import { numberOf, RECORD, toBounds, toPart } from './part-fields.ts'
import type { RedisContext } from './redis-context.ts'
import { bytesAt, numberAt, type Reply, textAt } from './reply.ts'
import { parts as readScript } from './scripts/index.ts'
import { FIRST_DETAIL, stateOf, statusOf } from './session-state.ts'
import { logTruncated } from './store-errors.ts'

/** Parts of a collection in a range. */
export async function readParts(
  { run, keys, witness }: RedisContext,
  session: string,
  collection: string,
  range: PartRange,
  log: string | undefined,
): Promise<readonly Part[]> {
  if (range.limit <= 0) return []
  const { meta, parts, numbers, history, conversations } = keys.session(session)
  const bounds = toBounds(collection, range)
  const reply = await run(readScript, [meta, parts, numbers, history, conversations], bounds)
  if (statusOf(reply) === 'missing') {
    await witness.doubt(session)
    return []
  }
  const state = stateOf(reply)
  compareLog(session, log, state.log)
  await witness.see(session, state)
  if (statusOf(reply) === 'truncated') throw logTruncated(session, state.tail)
  return toParts(collection, range, reply)
}

function toParts(collection: string, range: PartRange, reply: Reply): readonly Part[] {
  const start = FIRST_DETAIL + 1
  const oldEnd = start + 2 * numberAt(reply, FIRST_DETAIL)
  const found: Part[] = []
  for (let at = start; at < reply.length; at += 2) {
    const isOld = at < oldEnd
    const value = bytesAt(reply, at + 1)
    if (value === undefined) continue
    found.push(
      isOld
        ? toOldPart(collection, numberAt(reply, at), value, stateOf(reply).tail)
        : toPart(collection, numberOf(textAt(reply, at) ?? ''), value),
    )
  }
  if (oldEnd === start) return found
  const sign = 'after' in range ? 1 : -1
  return found.sort((a, b) => sign * (a.number - b.number)).slice(0, range.limit)
}

/** A record of version 0.1.0 belongs to the end of its log; of a conversation it is not known where it ended. */
function toOldPart(collection: string, number: number, value: Buffer, tail: number): Part {
  return { collection, number, frame: collection === RECORD ? tail : 0, body: value.toString() }
}
