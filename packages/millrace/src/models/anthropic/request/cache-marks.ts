import type { CachePlan, ContentBlock, Message } from '../../../events/index.ts'

/** The cache mark of the API: caches everything up to this block. */
export const cacheMark = { cache_control: { type: 'ephemeral' } } as const

/** Adds marks to the blocks of a plan. Other messages keep their identity. */
export function markMessages(
  messages: readonly Message[],
  { blocks = [] }: CachePlan,
): readonly Message[] {
  if (blocks.length === 0) return messages
  const marked = [...messages]
  for (const { message: index, block } of blocks) {
    const message = marked[index]
    if (message !== undefined) marked[index] = markBlock(message, block)
  }
  return marked
}

function markBlock(message: Message, place: number): Message {
  const content = message.content.map((block, index) =>
    index === place && takesMark(block) ? { ...block, ...cacheMark } : block,
  )
  return { ...message, content }
}

/**
 * Checks for a block that can carry a mark. A plan may be outdated, and the API rejects a mark on thinking or blank
 * text.
 */
function takesMark({ type, text }: ContentBlock): boolean {
  if (type === 'text') return typeof text === 'string' && text.trim() !== ''
  return type !== 'thinking' && type !== 'redacted_thinking'
}
