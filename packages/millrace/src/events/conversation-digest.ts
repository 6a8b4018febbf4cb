import { isCall, isResult, isServerCall } from './block-kinds.ts'
import type { Message } from './message.ts'

/** A message without the division of its content into blocks. */
export interface PlainMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** The ids of its calls. */
  readonly calls: readonly string[]
}

/**
 * The digest of a conversation, to which later messages can be added. Two conversations have the same one if they have the same prompts,
 * answers and calls, however these are divided into messages. Results and thinking do not count.
 */
export interface ConversationDigest {
  readonly texts: Checksum
  readonly calls: Checksum
}

/** The length of a text and two hashes: enough to find differences, not to resist attackers, who can only deceive themselves. */
type Checksum = readonly [length: number, one: number, other: number]

const emptySum: Checksum = [0, 0x811c9dc5, 0x811c9dc5]

/** The digest of a conversation without messages. */
export const emptyDigest: ConversationDigest = { texts: emptySum, calls: emptySum }

/** Adds messages to a digest. */
export function addToDigest(
  { texts, calls }: ConversationDigest,
  messages: readonly PlainMessage[],
): ConversationDigest {
  const said = messages.map(({ role, text }) =>
    role === 'user' ? `${MARK}${escape(text)}${MARK}` : escape(text),
  )
  const made = messages.map((one) =>
    one.role === 'user' ? MARK : one.calls.map((id) => `${escape(id)}\0c`).join(''),
  )
  return { texts: extend(texts, said.join('')), calls: extend(calls, made.join('')) }
}

/** Stands for the bounds of a prompt. */
const MARK = '\0p'

/** Makes marks unique; a text can be escaped in pieces. */
function escape(text: string): string {
  return text.replaceAll('\0', '\0\0')
}

/** Returns a digest as one text. */
export function toDigestText({ texts, calls }: ConversationDigest): string {
  return [...texts, ...calls].map((number) => number.toString(36)).join('.')
}

/** Converts messages of a model; a message with nothing but results is left out. */
export function toPlainMessages(messages: readonly Message[]): readonly PlainMessage[] {
  return messages.flatMap(({ role, content }) => {
    if (role === 'user' && content.every(isResult)) return []
    const texts = content.map(({ type, text }) => (type === 'text' ? String(text) : ''))
    const calls = content.filter((block) => isCall(block) || isServerCall(block))
    return [{ role, text: texts.join(''), calls: calls.map(({ id }) => String(id)) }]
  })
}

/** Takes the characters one by one, so that the division of a text does not matter. The factors are odd, so no difference is lost. */
function extend([length, ...sums]: Checksum, text: string): Checksum {
  let [one, other] = sums
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(((other << 5) | (other >>> 27)) + code, 0x9e3779b1)
  }
  return [length + text.length, one >>> 0, other >>> 0]
}
