import type { CachePlan, ContentBlock, Message } from '../events/index.ts'

/** What the API reads as: cache everything up to here. */
export const cacheMark = { cache_control: { type: 'ephemeral' } } as const

/** Puts marks on the blocks that a plan names; only their messages become new values. */
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

/** A plan may be older than the messages, and the API refuses a mark on a thought or on nothing. */
function takesMark({ type, text }: ContentBlock): boolean {
  if (type === 'text') return typeof text === 'string' && text.trim() !== ''
  return type !== 'thinking' && type !== 'redacted_thinking'
}
