import type { ContentBlock, Message } from '../events/index.ts'

/** Calls that the provider runs itself, answered by a later block of its own. */
const serverCalls = new Set(['server_tool_use', 'mcp_tool_use'])
const thoughts = new Set(['thinking', 'redacted_thinking'])

/** Adds content to a conversation whose roles must alternate; blocks that no API takes are left out. */
export function appendMessage(
  messages: readonly Message[],
  role: Message['role'],
  content: readonly ContentBlock[],
): readonly Message[] {
  const sendable = content.filter(isSendable)
  if (sendable.length === 0) return messages
  const last = messages.at(-1)
  if (last?.role !== role) return [...messages, { role, content: sendable }]
  return [...messages.slice(0, -1), { role, content: [...last.content, ...sendable] }]
}

/**
 * Leaves in the last answer only what may be followed by a person's words: no call of the provider's own that
 * has no result, no thought without what it led to.
 */
export function settleLastAnswer(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  const answered = new Set(last.content.map((block) => block['tool_use_id']))
  const kept = last.content.filter(
    (block) => !serverCalls.has(block.type) || answered.has(block['id'] ?? null),
  )
  while (thoughts.has(kept.at(-1)?.type ?? '')) kept.pop()
  if (kept.length === last.content.length) return messages
  return appendMessage(messages.slice(0, -1), 'assistant', kept)
}

/** The calls of a message that wait for a result of ours. */
export function callBlocks(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.filter((block) => block.type === 'tool_use')
}

/** Finds the latest result for a call. */
export function findResult(
  messages: readonly Message[],
  toolUseId: string,
): ContentBlock | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const found = messages[index]?.content.find((block) => isResultFor(block, toolUseId))
    if (found !== undefined) return found
  }
  return undefined
}

/** Tells whether a block is the result for a call. */
export function isResultFor(block: ContentBlock, toolUseId: string): boolean {
  return block.type === 'tool_result' && block['tool_use_id'] === toolUseId
}

/** Text without a visible character is refused by model APIs. */
function isSendable({ type, text }: ContentBlock): boolean {
  return type !== 'text' || (typeof text === 'string' && /\S/.test(text))
}
