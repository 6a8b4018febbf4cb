import type { JsonObject } from 'millrace'
import type { RequestMessage } from './request-content.ts'

/** A conversation, split at the newest user message. */
interface SplitConversation {
  /** The messages before it; ends with the tool results that share its message. */
  readonly before: readonly RequestMessage[]
  /** The blocks of the user message, files included. */
  readonly blocks: readonly JsonObject[]
  readonly after: readonly RequestMessage[]
}

/** Splits a conversation at the newest user message; undefined if there is none. */
export function splitAtNewestMessage(
  messages: readonly RequestMessage[],
): SplitConversation | undefined {
  const position = messages.findLastIndex(holdsUserContent)
  const message = messages[position]
  if (message === undefined) return undefined
  const { role, content } = message
  const start = startOfUserContent(content)
  const beside = start === 0 ? [] : [{ role, content: content.slice(0, start) }]
  return {
    before: [...messages.slice(0, position), ...beside],
    blocks: content.slice(start),
    after: messages.slice(position + 1),
  }
}

function holdsUserContent({ role, content }: RequestMessage): boolean {
  return role === 'user' && content.some(({ type }) => type !== 'tool_result')
}

/** A question without an answer precedes the new one in the same message. */
function startOfUserContent(content: readonly JsonObject[]): number {
  const newest = content.findLastIndex(({ type }) => type === 'text')
  const earlier = content.slice(0, newest < 0 ? content.length : newest)
  return earlier.findLastIndex(({ type }) => type === 'text' || type === 'tool_result') + 1
}
