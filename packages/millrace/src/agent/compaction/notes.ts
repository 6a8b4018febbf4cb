import type { ContentBlock, Message } from '../../events/index.ts'

/** The note that replaces removed messages. */
const notice: ContentBlock = {
  type: 'text',
  text: '[Messages that came after this one have been left out to save room.]',
}

const OPENING = '<session_summary>\n'
const CLOSING = '\n</session_summary>'

/** The answer between two user messages after the messages between them were removed. */
export const fillerAnswer: Message = {
  role: 'assistant',
  content: [{ type: 'text', text: 'Understood.' }],
}

/** Appends the note about removed messages, unless the message ends with one. */
export function withNotice(message: Message): Message {
  if (endsWithNote(message)) return message
  return { ...message, content: [...message.content, notice] }
}

/** Appends a summary of the removed messages, or replaces an earlier one. */
export function withSummary(message: Message, summary: string): Message {
  const content = endsWithNote(message) ? message.content.slice(0, -1) : message.content
  return { ...message, content: [...content, { type: 'text', text: OPENING + summary + CLOSING }] }
}

/** Checks whether a message ends with a note. A note is never the only block of a message. */
function endsWithNote({ content }: Message): boolean {
  const text = content.length > 1 ? content.at(-1)?.['text'] : undefined
  if (typeof text !== 'string') return false
  return text === notice['text'] || (text.startsWith(OPENING) && text.endsWith(CLOSING))
}
