import type { ContentBlock, Message } from '../events/index.ts'

/** The text of the last message of an answer, after the last tool that it used. */
export function toFinalAnswer(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === 'assistant')
  if (last === undefined) return ''
  const from = last.content.findLastIndex(isToolBlock) + 1
  return last.content
    .slice(from)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('')
}

function isToolBlock({ type }: ContentBlock): boolean {
  return type.endsWith('tool_use') || type.endsWith('tool_result')
}
