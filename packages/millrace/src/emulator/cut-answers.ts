import type { RequestMessage } from './request-content.ts'
import { toTurn } from './turn.ts'

/** Answers that whoever had asked did not wait for. */
export interface CutAnswers {
  /** Notes that the answer to a conversation was cut now. */
  note(messages: readonly RequestMessage[]): void
  /** Whether it was cut so long ago that what is said now is not what has cut it. */
  isLongAgo(messages: readonly RequestMessage[]): boolean
}

/** An agent that was told something asks again within milliseconds; a person who has stopped it has to write first. */
const SAME_MOMENT_MS = 2000

/** Creates a memory that forgets the oldest of more than `maxAnswers` answers. */
export function createCutAnswers(now: () => number, maxAnswers = 1000): CutAnswers {
  const cuts = new Map<string, number>()
  return {
    note(messages) {
      const key = toKey(messages)
      cuts.delete(key)
      cuts.set(key, now())
      const [oldest] = cuts.keys()
      if (cuts.size > maxAnswers && oldest !== undefined) cuts.delete(oldest)
    },
    isLongAgo(messages) {
      const cutAt = cuts.get(toKey(messages))
      return cutAt !== undefined && now() - cutAt > SAME_MOMENT_MS
    },
  }
}

/** Conversations that are alike so far would be answered alike. */
function toKey(messages: readonly RequestMessage[]): string {
  const { prompt } = toTurn({ messages, tools: new Set() })
  return `${messages.length} ${prompt.slice(0, 1000)}`
}
