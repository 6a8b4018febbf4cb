import {
  type ContentBlock,
  isBlank,
  isResult,
  isServerCall,
  isThought,
  type Message,
} from '../../events/index.ts'
import type { AgentState } from './agent-state.ts'

/** Appends content, with alternating roles and without blocks that no API accepts. */
export function appendMessage(
  messages: readonly Message[],
  role: Message['role'],
  content: readonly ContentBlock[],
): readonly Message[] {
  const sendable = content.filter((block) => !isBlank(block))
  if (sendable.length === 0) return messages
  const last = messages.at(-1)
  if (last?.role !== role) return [...messages, { role, content: sendable }]
  return [...messages.slice(0, -1), { role, content: [...last.content, ...sendable] }]
}

/** Removes from the last answer the blocks that no user message may follow: provider calls without result, and thinking at its end. */
export function settleLastAnswer(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  // Only a result that follows its call answers it.
  const kept = last.content.filter(
    (block, at) =>
      !isServerCall(block) ||
      last.content
        .slice(at + 1)
        .some(({ tool_use_id: id }) => id !== undefined && id === block['id']),
  )
  const said = kept.slice(0, kept.findLastIndex((block) => !isThought(block)) + 1)
  if (said.length === last.content.length) return messages
  return appendMessage(messages.slice(0, -1), 'assistant', said)
}

/** Returns the messages of the latest run, as far as they were read. */
export function messagesOfRun(state: AgentState): readonly Message[] {
  return state.messages.slice(Math.max(0, state.runStart - skippedCount(state)))
}

/** Returns the number of messages that were not read. */
export function skippedCount({ skipped }: AgentState): number {
  return skipped?.count ?? 0
}

/** Finds the latest result for a call. */
export function findResult(messages: readonly Message[], callId: string): ContentBlock | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const found = messages[index]?.content.find((block) => isResultFor(block, callId))
    if (found !== undefined) return found
  }
  return undefined
}

/** Checks whether a block is the result of a call. */
export function isResultFor(block: ContentBlock, callId: string): boolean {
  return isResult(block) && block['tool_use_id'] === callId
}
