import { isResult, type Message } from '../events/index.ts'

/**
 * Finds where the run in hand begins in messages that may have been compacted: at its prompt if that is still the
 * same value, else at the last message of the user's that answers no call.
 */
export function findRunStart(messages: readonly Message[], prompt?: Message): number {
  const found = prompt === undefined ? -1 : messages.lastIndexOf(prompt)
  return found >= 0 ? found : Math.max(0, messages.findLastIndex(isPrompt))
}

/** Tells whether a message begins a turn of the conversation: the user's words alone. */
export function isPrompt({ role, content }: Message): boolean {
  return role === 'user' && !content.some(isResult)
}
