import { isResult, type Message } from '../../../events/index.ts'

/**
 * Finds the start of the current run in messages that may have been compacted: the prompt if it is still the same
 * value, else the last user message without results.
 */
export function findRunStart(messages: readonly Message[], prompt?: Message): number {
  const found = prompt === undefined ? -1 : messages.lastIndexOf(prompt)
  return found >= 0 ? found : Math.max(0, messages.findLastIndex(isPrompt))
}

/** Checks for a message that starts a turn: a user message without results. */
export function isPrompt({ role, content }: Message): boolean {
  return role === 'user' && !content.some(isResult)
}
