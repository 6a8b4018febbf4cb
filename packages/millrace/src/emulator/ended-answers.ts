import type { RequestMessage } from './request-content.ts'
import { toTurn } from './turn.ts'

/** When answers have ended, whole or cut. */
export interface EndedAnswers {
  /** Notes that the answer to a conversation begins now. */
  begin(messages: readonly RequestMessage[]): void
  /** Notes that it ends now. */
  end(messages: readonly RequestMessage[]): void
  /** Whether it ended so long ago, or before anyone here remembers, that what is said now is not what has cut it. */
  isLongAgo(messages: readonly RequestMessage[]): boolean
}

/** An agent that was told something asks again within milliseconds; a person who has stopped it has to write first. */
const SAME_MOMENT_MS = 2000

/** Creates a memory that forgets the oldest of more than `maxAnswers` answers. */
export function createEndedAnswers(now: () => number, maxAnswers = 1000): EndedAnswers {
  const ends = new Map<string, number>()
  const keep = (messages: readonly RequestMessage[], endedAt: number): void => {
    const key = toKey(messages)
    ends.delete(key)
    ends.set(key, endedAt)
    const [oldest] = ends.keys()
    if (ends.size > maxAnswers && oldest !== undefined) ends.delete(oldest)
  }
  return {
    begin: (messages) => keep(messages, Infinity),
    end: (messages) => keep(messages, now()),
    isLongAgo: (messages) => now() - (ends.get(toKey(messages)) ?? -Infinity) > SAME_MOMENT_MS,
  }
}

/** Conversations that are alike so far would be answered alike. */
function toKey(messages: readonly RequestMessage[]): string {
  const { prompt } = toTurn({ messages, tools: new Set() })
  return `${messages.length} ${prompt.slice(0, 1000)}`
}
