import { type ContentBlock, isThought, type Message } from '../../events/index.ts'

/** Maximum length of one text, and of one call or result. */
const TEXT_CHARS = 10_000
const DATA_CHARS = 2000
const GAP = '[… some messages are not shown …]'

/** Writes a conversation as plain text for a model. If it is too long, keeps the first message and as many of the last ones as fit. */
export function toTranscript(
  messages: readonly Message[],
  { maxChars }: { readonly maxChars: number },
): string {
  const [first = '', ...rest] = messages.map(toText).filter((text) => text !== '')
  let room = maxChars - first.length
  let start = rest.length
  for (; start > 0; start--) {
    room -= rest[start - 1]?.length ?? 0
    if (room < 0) break
  }
  return [first, ...(start > 0 ? [GAP] : []), ...rest.slice(start)].join('\n\n')
}

function toText({ role, content }: Message): string {
  const speaker = role === 'user' ? 'User' : 'Assistant'
  const parts = content.filter((block) => !isThought(block)).map((block) => toLine(block, speaker))
  return parts.join('\n')
}

type Line = (block: ContentBlock, speaker: string) => string

const lines: ReadonlyMap<string, Line> = new Map<string, Line>([
  ['text', ({ text }, speaker) => `${speaker}: ${shortenText(String(text), TEXT_CHARS)}`],
  ['image', (_, speaker) => `${speaker}: [an image]`],
  ['document', ({ title }, speaker) => `${speaker}: [a document: ${String(title ?? 'untitled')}]`],
  ['tool_use', toCallLine],
  ['server_tool_use', toCallLine],
  ['mcp_tool_use', toCallLine],
])

function toLine(block: ContentBlock, speaker: string): string {
  const line = lines.get(block.type)
  return line === undefined ? toDataLine(block) : line(block, speaker)
}

function toCallLine({ name, input = {} }: ContentBlock): string {
  return `Call of ${String(name)}: ${shortenText(JSON.stringify(input), DATA_CHARS)}`
}

function toDataLine({ type, content, is_error: isError }: ContentBlock): string {
  const data = typeof content === 'string' ? content : JSON.stringify(content ?? null, hideData)
  return `${isError === true ? 'Error' : type}: ${shortenText(data, DATA_CHARS)}`
}

/** Hides the bytes of images and encrypted content. */
function hideData(key: string, value: unknown): unknown {
  return key === 'data' || key.startsWith('encrypted_') ? '…' : value
}

/** Allowance for the note, so that a shortened text is never shortened again. */
const NOTE_CHARS = 160

/** Truncates a text and appends the number of removed characters. A text that is only slightly longer stays unchanged. */
export function shortenText(text: string, maxChars: number): string {
  if (text.length <= maxChars + NOTE_CHARS) return text
  // Does not split a surrogate pair.
  const isPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1))
  const end = isPair ? maxChars - 1 : maxChars
  const note = `\n[${text.length - end} more characters were left out to save room.]`
  // Copies the text: a slice would keep the whole original in memory.
  return ` ${text.slice(0, end)}${note}`.slice(1)
}
