import type { JsonObject } from '../json/index.ts'
import type { RequestMessage } from './request-content.ts'

/** A conversation, taken apart at the newest words of a person. */
export interface NewestWords {
  /** What comes before them; the results that stand beside them in their message are the last of it. */
  readonly before: readonly RequestMessage[]
  /** The words, with the files that came along. */
  readonly words: readonly JsonObject[]
  readonly after: readonly RequestMessage[]
}

/** Takes a conversation apart at the newest words of a person; undefined if nobody has said anything. */
export function findNewestWords(messages: readonly RequestMessage[]): NewestWords | undefined {
  const position = messages.findLastIndex(holdsWords)
  const message = messages[position]
  if (message === undefined) return undefined
  const { role, content } = message
  const start = startOfWords(content)
  const beside = start === 0 ? [] : [{ role, content: content.slice(0, start) }]
  return {
    before: [...messages.slice(0, position), ...beside],
    words: content.slice(start),
    after: messages.slice(position + 1),
  }
}

function holdsWords({ role, content }: RequestMessage): boolean {
  return role === 'user' && content.some(({ type }) => type !== 'tool_result')
}

/** A question that was never answered stands before the new one in the same message. */
function startOfWords(content: readonly JsonObject[]): number {
  const newest = content.findLastIndex(({ type }) => type === 'text')
  const earlier = content.slice(0, newest < 0 ? content.length : newest)
  return earlier.findLastIndex(({ type }) => type === 'text' || type === 'tool_result') + 1
}
