import {
  addToDigest,
  type ConversationDigest,
  emptyDigest,
  isCall,
  type Message,
  toPlainMessages,
} from '../../events/index.ts'
import type { SkippedMessages } from './agent-state.ts'
import type { PartReference } from './state-parts.ts'

/** The part with which the reading of a lane begins, and the messages before it. */
export interface LaneStart {
  readonly part: number
  readonly count: number
  readonly digest: ConversationDigest
  readonly calls: readonly StoredCalls[]
}

interface StoredCalls {
  readonly number: number
  readonly ids: readonly string[]
}

/** The value of the part with which reading begins. */
export interface StoredStart extends Omit<LaneStart, 'part' | 'calls'> {
  readonly calls: readonly PartReference[]
}

/** Writes the start of a lane after further messages. `put` writes a value and returns the number of its part. */
export function writeStart(
  { count, digest, calls }: Omit<LaneStart, 'part'> = { count: 0, digest: emptyDigest, calls: [] },
  messages: readonly Message[],
  put: (value: object) => number,
): LaneStart {
  const next = {
    count: count + messages.length,
    digest: addToDigest(digest, toPlainMessages(messages)),
    calls: addCalls(calls, messages.flatMap(idsIn), put),
  }
  const references = next.calls.map(({ number }): PartReference => ({ $part: number }))
  return { ...next, part: put({ ...next, calls: references } satisfies StoredStart) }
}

/** Returns the messages before a start. */
export function toSkipped({ count, digest, calls }: LaneStart): SkippedMessages {
  return { count, digest, calls: calls.flatMap(({ ids }) => ids) }
}

/** Writes ids together with those of parts that have no more of them, so that few parts have all ids and each id is written few times. */
function addCalls(
  known: readonly StoredCalls[],
  fresh: readonly string[],
  put: (value: object) => number,
): readonly StoredCalls[] {
  if (fresh.length === 0) return known
  const last = known.at(-1)
  if (last === undefined || last.ids.length > fresh.length)
    return [...known, { number: put(fresh), ids: fresh }]
  return addCalls(known.slice(0, -1), [...last.ids, ...fresh], put)
}

function idsIn({ content }: Message): string[] {
  return content.filter(isCall).map(({ id }) => String(id))
}
