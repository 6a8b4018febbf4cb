import type { ContentBlock, Message } from '../../../events/index.ts'

/** The field with data of chat completions models that only their provider understands. */
const FOREIGN = 'openai'

/**
 * Converts messages for the Messages API: a conversation with another provider's model has fields that it rejects,
 * and thinking without signatures. Unaffected messages keep their identity.
 */
export function removeForeign(messages: readonly Message[]): readonly Message[] {
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

/** Removes another provider's fields from a block. A block without such fields keeps its identity. */
export function dropForeign(block: ContentBlock): ContentBlock {
  if (!(FOREIGN in block)) return block
  const { [FOREIGN]: _, ...own } = block
  return own
}
