import type { ContentBlock, Message } from '../events/index.ts'

/** Where models behind chat completions keep what only their provider understands. */
const FOREIGN = 'openai'

/**
 * The messages as the Messages API takes them: a conversation that another provider's model began holds fields
 * that it refuses, and thoughts that nobody signed. Messages without any of that stay the same values.
 */
export function withoutForeign(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isForeign)) return messages
  return messages
    .map((message) => (isForeign(message) ? toOwn(message) : message))
    .filter(({ content }) => content.length > 0)
}

function isForeign({ content }: Message): boolean {
  return content.some((block) => FOREIGN in block)
}

function toOwn({ role, content }: Message): Message {
  const kept = content.filter((block) => !(FOREIGN in block && block.type === 'thinking'))
  return { role, content: kept.map(dropForeign) }
}

/** A block without what only another provider understands; the same value where there is none of it. */
export function dropForeign(block: ContentBlock): ContentBlock {
  if (!(FOREIGN in block)) return block
  const { [FOREIGN]: _, ...own } = block
  return own
}
