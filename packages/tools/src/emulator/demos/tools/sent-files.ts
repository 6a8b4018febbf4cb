import { isJsonObject, type JsonObject } from 'millrace'
import { type RequestMessage, splitAtNewestMessage } from '../../request/request-content.ts'

const kinds: ReadonlyMap<unknown, string> = new Map([
  ['image', 'an image'],
  ['document', 'a document'],
  ['container_upload', 'a file of the provider’s container'],
])

/** Display names of the media types that a prompt may contain. */
const formats: ReadonlyMap<unknown, string> = new Map([
  ['image/png', 'PNG'],
  ['image/jpeg', 'JPEG'],
  ['image/gif', 'GIF'],
  ['image/webp', 'WebP'],
  ['application/pdf', 'PDF'],
  ['text/plain', 'plain text'],
])

const maxShown = 10
const maxNameChars = 80

/** Describes each file of the newest user message in a line of Markdown: its name if known, its kind and its size. */
export function describeSentFiles(messages: readonly RequestMessage[]): readonly string[] {
  const blocks = splitAtNewestMessage(messages)?.blocks ?? []
  const files = blocks.filter(({ type }) => kinds.has(type))
  const surplus = files.length - maxShown
  return [
    ...files.slice(0, maxShown).map((file) => `- ${describeFile(file)}`),
    ...(surplus > 0 ? [`- and ${surplus} more`] : []),
  ]
}

function describeFile(file: JsonObject): string {
  const { type, title } = file
  const source = isJsonObject(file['source']) ? file['source'] : {}
  const name =
    typeof title === 'string' && title.trim() !== ''
      ? `“${toPlainLine(title, maxNameChars)}”, `
      : ''
  const facts = [formats.get(source['media_type']), sizeOf(source)].filter(Boolean).join(', ')
  return `${name}${kinds.get(type) ?? 'a file'}${facts === '' ? '' : ` (${facts})`}`
}

/** Returns the size of a file that the request itself contains; a file behind a URL is not fetched. */
function sizeOf({ type, data }: JsonObject): string | undefined {
  if (typeof data !== 'string') return undefined
  const bytes =
    type === 'base64'
      ? Math.floor((data.replace(/=+$/, '').length * 3) / 4)
      : new TextEncoder().encode(data).length
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${amount.toPrecision(amount < 100 ? 2 : 3)} ${unit}`
}

/** Characters that Markdown may interpret as markup in the middle of a line. */
const markup = /[\\`*_[\]<>&~|$]/g

/** Converts a user's text to one short line without markup. */
export function toPlainLine(text: string, maxChars: number): string {
  // A character has at most two UTF-16 units, and white space is rarely the larger part of a text.
  const line = text
    .slice(0, maxChars * 4)
    .replaceAll(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  const isWhole = characters.length <= maxChars && text.length <= maxChars * 4
  const shown = isWhole ? line : `${characters.slice(0, maxChars).join('').trimEnd()}…`
  return shown.replaceAll(markup, String.raw`\$&`)
}
