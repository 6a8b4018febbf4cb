import type { RequestMessage } from '../request/request-content.ts'
import { toTurn } from './turn.ts'
import { hashText } from '../random.ts'

/** Counter of consecutive failures of the same request. */
export type Attempts = ReturnType<typeof createAttempts>

/** Creates a counter that evicts the oldest of more than `maxRequests` requests. */
export function createAttempts(maxRequests = 1000) {
  const counts = new Map<string, number>()
  return {
    countOf: (body: string): number => counts.get(hashText(body)) ?? 0,
    /** Counts a failure, or resets the counter after a success. */
    settle(body: string, isFailure: boolean) {
      const key = hashText(body)
      const count = counts.get(key) ?? 0
      counts.delete(key)
      if (!isFailure) return
      counts.set(key, count + 1)
      const [oldest] = counts.keys()
      if (counts.size > maxRequests && oldest !== undefined) counts.delete(oldest)
    },
  }
}

/** Times at which answers ended, complete or cut. */
export type EndedAnswers = ReturnType<typeof createEndedAnswers>

/** An agent sends the next request milliseconds after a steering message; a user who has stopped the run types first. */
const SAME_MOMENT_MS = 2000

/** Creates a list that evicts the oldest of more than `maxAnswers` answers. */
export function createEndedAnswers(now: () => number, maxAnswers = 1000) {
  const ends = new Map<string, number>()
  const keep = (messages: readonly RequestMessage[], endedAt: number): void => {
    const key = toKey(messages)
    ends.delete(key)
    ends.set(key, endedAt)
    const [oldest] = ends.keys()
    if (ends.size > maxAnswers && oldest !== undefined) ends.delete(oldest)
  }
  return {
    begin: (messages: readonly RequestMessage[]) => keep(messages, Infinity),
    end: (messages: readonly RequestMessage[]) => keep(messages, now()),
    /** Checks whether the answer ended so long ago that the newest message cannot have cut it; true if no end is recorded. */
    isLongAgo: (messages: readonly RequestMessage[]): boolean =>
      now() - (ends.get(toKey(messages)) ?? -Infinity) > SAME_MOMENT_MS,
  }
}

/** Equal conversations share a key, because they get equal answers. */
function toKey(messages: readonly RequestMessage[]): string {
  const { prompt } = toTurn({ messages, tools: new Set() })
  return `${messages.length} ${prompt.slice(0, 1000)}`
}
