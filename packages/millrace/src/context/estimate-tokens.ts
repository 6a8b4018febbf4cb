import { type ContentBlock, isContentBlock, type Message } from '../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { readImageSize } from './image-size.ts'
import { estimatePdfPages } from './pdf-pages.ts'

const CHARS_PER_TOKEN = 4
const PIXELS_PER_TOKEN = 750
/** The API scales larger images down to this edge. */
const MAX_IMAGE_EDGE = 1568
const MAX_IMAGE_TOKENS = 1600
const TOKENS_PER_PAGE = 2000
/** Assumed number of pages of a document that is not in the request. */
const UNKNOWN_PAGES = 10

/** Estimates by message and block. Messages and blocks are immutable and repeat in every request. */
const known = new WeakMap<object, number>()

/** Estimates the tokens of messages, blocks or text. Each message and block is examined once. */
export function estimateTokens(
  content: string | readonly Message[] | readonly ContentBlock[],
): number {
  if (typeof content === 'string') return toTokens(content.length)
  let tokens = 0
  for (const item of content) {
    tokens += once(item, () => (isMessage(item) ? estimateTokens(item.content) : weigh(item)))
  }
  return tokens
}

/** Estimates the tokens of a value as JSON text. Images and documents in it are estimated as media. */
export function estimateJson(value: JsonObject): number {
  return once(value, () => weighJson(value))
}

function once(item: object, weighItem: () => number): number {
  const found = known.get(item)
  if (found !== undefined) return found
  const tokens = weighItem()
  known.set(item, tokens)
  return tokens
}

function isMessage(item: Message | ContentBlock): item is Message {
  return !('type' in item)
}

function toTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}

const weights: ReadonlyMap<string, (block: ContentBlock) => number> = new Map([
  ['text', ({ text }) => lengthOf(text)],
  // Thinking that is not shown is contained in its signature.
  ['thinking', ({ thinking, signature }) => lengthOf(thinking || signature)],
  ['redacted_thinking', ({ data }) => lengthOf(data)],
  ['image', weighImage],
  ['document', weighDocument],
  ['tool_use', weighCall],
  ['server_tool_use', weighCall],
  ['mcp_tool_use', weighCall],
  ['tool_result', ({ content }) => weighContent(content)],
])

function weigh(block: ContentBlock): number {
  return weights.get(block.type)?.(block) ?? weighJson(block['content'] ?? block)
}

function lengthOf(text: JsonValue | undefined): number {
  return typeof text === 'string' ? toTokens(text.length) : 0
}

function weighCall({ name, input = {} }: ContentBlock): number {
  return lengthOf(name) + weighJson(input)
}

/** Estimates text, or blocks with media. */
function weighContent(content: JsonValue | undefined): number {
  if (!isJsonArray(content)) return lengthOf(content)
  return content.reduce<number>((sum, part) => sum + (isContentBlock(part) ? weigh(part) : 0), 0)
}

function weighJson(value: JsonValue): number {
  let media = 0
  const text = JSON.stringify(value, (_, part: JsonValue) => {
    if (!isMedia(part)) return part
    media += weigh(part)
    return null
  })
  return toTokens(text.length) + media
}

function isMedia(value: JsonValue): value is ContentBlock {
  if (!isContentBlock(value) || !isJsonObject(value['source'])) return false
  return value.type === 'image' || value.type === 'document'
}

function weighImage({ source }: ContentBlock): number {
  const data = isJsonObject(source) ? source['data'] : undefined
  const size = typeof data === 'string' ? readImageSize(data) : undefined
  if (size === undefined) return MAX_IMAGE_TOKENS
  const scale = Math.min(1, MAX_IMAGE_EDGE / Math.max(size.width, size.height))
  const pixels = size.width * scale * size.height * scale
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN))
}

function weighDocument({ source, title, context }: ContentBlock): number {
  const about = lengthOf(title) + lengthOf(context)
  if (!isJsonObject(source)) return about + UNKNOWN_PAGES * TOKENS_PER_PAGE
  const { type, data, content } = source
  if (type === 'text') return about + lengthOf(data)
  if (type === 'content') return about + weighContent(content)
  const pages = typeof data === 'string' ? estimatePdfPages(data) : UNKNOWN_PAGES
  return about + pages * TOKENS_PER_PAGE
}
