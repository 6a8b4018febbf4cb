import {
  type CacheMark,
  type CachePlan,
  type ContentBlock,
  isBlank,
  type Message,
  type ModelRequest,
} from '../../events/index.ts'
import { estimateJson, estimateTokens } from './tokens/estimate-tokens.ts'

/** Options of {@link planCache}. */
export interface CacheOptions {
  /** The model of the request. The minimum cacheable prefix depends on it. */
  readonly modelId?: string
  /** Minimum size of a marked prefix or text; 1024, or 2048 for Haiku. */
  readonly minTokens?: number
  /** Maximum number of marks. The API accepts 4. */
  readonly maxMarks?: number
}

const markable: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
])

/**
 * Chooses the cache marks of a request. A mark caches everything before it, so marks must be at positions that they
 * or adjacent blocks had in the previous request:
 *
 * 1. the end of the request, always: each request then caches the prefix of the next one;
 * 2. the system prompt, or the tools if there is none: they are shared by all conversations;
 * 3. the end of the previous request, which the API finds by itself only within twenty blocks;
 * 4. images and documents, oldest first, then large texts, oldest first: their positions do not change.
 *
 * A request whose messages contain marks gets no others.
 */
export function planCache(request: ModelRequest, options: CacheOptions = {}): CachePlan {
  const {
    modelId = '',
    minTokens = modelId.includes('haiku') ? 2048 : 1024,
    maxMarks = 4,
  } = options
  const { messages, system = '', tools = [] } = request
  if (maxMarks < 1 || messages.some(({ content }) => content.some(isMarked))) return {}
  const offered = tools.reduce(
    (sum, { inputSchema, description }) =>
      sum + estimateJson(inputSchema) + estimateTokens(description),
    0,
  )
  const prefix = offered + estimateTokens(system)
  const isPrefixMarked = maxMarks > 1 && prefix >= minTokens
  const blocks = [...findEnds(messages), ...findAnchors(messages, prefix, minTokens)]
  return {
    ...(isPrefixMarked && (system === '' ? { tools: true } : { system: true })),
    blocks: unique(blocks).slice(0, isPrefixMarked ? maxMarks - 1 : maxMarks),
  }
}

/** Returns the request with a cache plan; its messages stay unchanged. */
export function markCache(request: ModelRequest, options?: CacheOptions): ModelRequest {
  return { ...request, cache: planCache(request, options) }
}

function isMarked(block: ContentBlock): boolean {
  return 'cache_control' in block
}

/** Returns the ends of this request and of the one before the last answer. */
function findEnds(messages: readonly Message[]): CacheMark[] {
  const answer = messages.findLastIndex(({ role }) => role === 'assistant')
  return [findEnd(messages, messages.length), findEnd(messages, answer)].flat()
}

function findEnd(messages: readonly Message[], before: number): CacheMark[] {
  for (let message = before - 1; message >= 0; message--) {
    const block = messages[message]?.content.findLastIndex(mayBeMarked) ?? -1
    if (block >= 0) return [{ message, block }]
  }
  return []
}

/** Checks for a block that can carry a mark: no thinking, no blank text, no other provider blocks. */
function mayBeMarked(block: ContentBlock): boolean {
  return markable.has(block.type) && !isBlank(block)
}

function findAnchors(messages: readonly Message[], prefix: number, minTokens: number): CacheMark[] {
  const media: CacheMark[] = []
  const texts: CacheMark[] = []
  let before = prefix
  messages.forEach(({ content }, message) => {
    content.forEach((item, block) => {
      const tokens = estimateTokens([item])
      before += tokens
      if (before < minTokens) return
      if (item.type === 'image' || item.type === 'document') media.push({ message, block })
      if (item.type === 'text' && tokens >= minTokens) texts.push({ message, block })
    })
  })
  return [...media, ...texts]
}

function unique(marks: readonly CacheMark[]): CacheMark[] {
  const places = new Map(marks.map((mark) => [`${mark.message}.${mark.block}`, mark]))
  return [...places.values()]
}
