import type { ContentBlock, Message } from '../events/index.ts'

/** What stands where messages were left out. */
const notice: ContentBlock = {
  type: 'text',
  text: '[Messages that came after this one have been left out to save room.]',
}

const OPENING = '<session_summary>\n'
const CLOSING = '\n</session_summary>'

/** The answer between two messages of the user's, where those between them were left out. */
export const bridge: Message = {
  role: 'assistant',
  content: [{ type: 'text', text: 'Understood.' }],
}

/** Says at the end of a message that what came after it was left out, unless it says so already. */
export function withNotice(message: Message): Message {
  if (endsWithNote(message)) return message
  return { ...message, content: [...message.content, notice] }
}

/** Puts a summary of what came after a message at its end, in the place of an earlier one. */
export function withSummary(message: Message, summary: string): Message {
  const content = endsWithNote(message) ? message.content.slice(0, -1) : message.content
  return { ...message, content: [...content, { type: 'text', text: OPENING + summary + CLOSING }] }
}

/** A note comes after what someone said; alone it is what someone said. */
function endsWithNote({ content }: Message): boolean {
  const text = content.length > 1 ? content.at(-1)?.['text'] : undefined
  if (typeof text !== 'string') return false
  return text === notice['text'] || (text.startsWith(OPENING) && text.endsWith(CLOSING))
}
