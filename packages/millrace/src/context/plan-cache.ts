import {
  type CacheMark,
  type CachePlan,
  type ContentBlock,
  isBlank,
  type Message,
  type ModelRequest,
} from '../events/index.ts'
import { estimateJson, estimateTokens } from './estimate-tokens.ts'

/** How many marks there may be, and where one is worth its place. */
export interface CacheOptions {
  /** The model that will be asked: the smallest prefix that is cached depends on it. */
  readonly modelId?: string
  /** Smaller prefixes and texts get no mark of their own; 1024, for Haiku 2048. */
  readonly minTokens?: number
  /** The API takes 4. */
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
 * Chooses what of a request the provider should cache. A mark caches everything before it, so what matters is that
 * marks stand where they or their neighbours stood in the request before:
 *
 * 1. the end of the request, always: each request then adds to the cache what the next one reads;
 * 2. the system prompt, or the tools if there is none: what all conversations share;
 * 3. the end of the request before, which the API finds by itself only within twenty blocks;
 * 4. images and documents, oldest first, then large texts, oldest first: they stay put when the conversation grows.
 *
 * A request with marks of its own in its messages gets no others.
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

/** The same request with a plan of what to cache; its messages stay as they are. */
export function markCache(request: ModelRequest, options?: CacheOptions): ModelRequest {
  return { ...request, cache: planCache(request, options) }
}

function isMarked(block: ContentBlock): boolean {
  return 'cache_control' in block
}

/** The ends of this request and of the one before the last answer. */
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

/** Thoughts and empty texts take no mark; other blocks of the provider's are left alone. */
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
