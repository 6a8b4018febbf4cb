import { isThought, type Message } from '../events/index.ts'

/**
 * Drops the thoughts of the first `end` messages, but never those of the last answer: the API wants them back
 * unchanged as long as the model waits for the results of the calls that they led to.
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
