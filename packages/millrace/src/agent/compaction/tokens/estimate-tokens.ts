import { type ContentBlock, isContentBlock, type Message } from '../../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
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
const estimates = new WeakMap<object, number>()

/** Estimates the tokens of messages, blocks or text. Each message and block is examined once. */
export function estimateTokens(
  content: string | readonly Message[] | readonly ContentBlock[],
): number {
  if (typeof content === 'string') return toTokens(content.length)
  let tokens = 0
  for (const item of content) {
    tokens += memoize(item, () =>
      isMessage(item) ? estimateTokens(item.content) : estimateBlock(item),
    )
  }
  return tokens
}

/** Estimates the tokens of a value as JSON text. Images and documents in it are estimated as media. */
export function estimateJson(value: JsonObject): number {
  return memoize(value, () => estimateJsonValue(value))
}

function memoize(item: object, estimate: () => number): number {
  const found = estimates.get(item)
  if (found !== undefined) return found
  const tokens = estimate()
  estimates.set(item, tokens)
  return tokens
}

function isMessage(item: Message | ContentBlock): item is Message {
  return !('type' in item)
}

function toTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}

const estimators: ReadonlyMap<string, (block: ContentBlock) => number> = new Map([
  ['text', ({ text }) => lengthOf(text)],
  // Thinking that is not shown is contained in its signature.
  ['thinking', ({ thinking, signature }) => lengthOf(thinking || signature)],
  ['redacted_thinking', ({ data }) => lengthOf(data)],
  ['image', estimateImage],
  ['document', estimateDocument],
  ['tool_use', estimateCall],
  ['server_tool_use', estimateCall],
  ['mcp_tool_use', estimateCall],
  ['tool_result', ({ content }) => estimateContent(content)],
])

function estimateBlock(block: ContentBlock): number {
  return estimators.get(block.type)?.(block) ?? estimateJsonValue(block['content'] ?? block)
}

function lengthOf(text: JsonValue | undefined): number {
  return typeof text === 'string' ? toTokens(text.length) : 0
}

function estimateCall({ name, input = {} }: ContentBlock): number {
  return lengthOf(name) + estimateJsonValue(input)
}

/** Estimates text, or blocks with media. */
function estimateContent(content: JsonValue | undefined): number {
  if (!isJsonArray(content)) return lengthOf(content)
  return content.reduce<number>(
    (sum, part) => sum + (isContentBlock(part) ? estimateBlock(part) : 0),
    0,
  )
}

function estimateJsonValue(value: JsonValue): number {
  let media = 0
  const text = JSON.stringify(value, (_, part: JsonValue) => {
    if (!isMedia(part)) return part
    media += estimateBlock(part)
    return null
  })
  return toTokens(text.length) + media
}

function isMedia(value: JsonValue): value is ContentBlock {
  if (!isContentBlock(value) || !isJsonObject(value['source'])) return false
  return value.type === 'image' || value.type === 'document'
}

function estimateImage({ source }: ContentBlock): number {
  const data = isJsonObject(source) ? source['data'] : undefined
  const size = typeof data === 'string' ? readImageSize(data) : undefined
  if (size === undefined) return MAX_IMAGE_TOKENS
  const scale = Math.min(1, MAX_IMAGE_EDGE / Math.max(size.width, size.height))
  const pixels = size.width * scale * size.height * scale
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN))
}

function estimateDocument({ source, title, context }: ContentBlock): number {
  const about = lengthOf(title) + lengthOf(context)
  if (!isJsonObject(source)) return about + UNKNOWN_PAGES * TOKENS_PER_PAGE
  const { type, data, content } = source
  if (type === 'text') return about + lengthOf(data)
  if (type === 'content') return about + estimateContent(content)
  const pages = typeof data === 'string' ? estimatePdfPages(data) : UNKNOWN_PAGES
  return about + pages * TOKENS_PER_PAGE
}
