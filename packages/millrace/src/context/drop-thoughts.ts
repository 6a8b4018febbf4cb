import { isThought, type Message } from '../events/index.ts'

/**
 * Removes thinking from the first `end` messages, except from the last answer. The API requires its thinking
 * unchanged while the model waits for tool results.
 */
export function dropThoughts(messages: readonly Message[], end: number): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.map((message, index) =>
    index < end && index !== last ? withoutThoughts(message) : message,
  )
}

function withoutThoughts(message: Message): Message {
  const content = message.content.filter((block) => !isThought(block))
  const isSame = content.length === message.content.length || content.length === 0
  return isSame ? message : { ...message, content }
}
