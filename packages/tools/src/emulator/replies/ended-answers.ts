import type { RequestMessage } from '../request/request-content.ts'
import { toTurn } from './turn.ts'

/** Times at which answers ended, complete or cut. */
export interface EndedAnswers {
  /** Records that the answer to a conversation begins now. */
  begin(messages: readonly RequestMessage[]): void
  /** Records that the answer to a conversation ends now. */
  end(messages: readonly RequestMessage[]): void
  /**
   * Checks whether the answer ended so long ago that the newest message cannot have cut it; true if no end is
   * recorded.
   */
  isLongAgo(messages: readonly RequestMessage[]): boolean
}

/**
 * An agent sends the next request milliseconds after a steering message; a user who has stopped the run types
 * first.
 */
const SAME_MOMENT_MS = 2000

/** Creates a list that evicts the oldest of more than `maxAnswers` answers. */
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

/** Equal conversations share a key, because they get equal answers. */
function toKey(messages: readonly RequestMessage[]): string {
  const { prompt } = toTurn({ messages, tools: new Set() })
  return `${messages.length} ${prompt.slice(0, 1000)}`
}
