import type { ContentBlock, ResultContent } from '../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** Validates a source. Returns the problem, or undefined. */
type SourceCheck = (source: JsonObject) => string | undefined

const url: SourceCheck = ({ url: address }) => needsText('url', address)
const file: SourceCheck = ({ file_id: id }) => needsText('file_id', id)

/** Sources of the Messages API, by block type and source type. */
const sources: Readonly<Record<string, Readonly<Record<string, SourceCheck>>>> = {
  image: { base64: base64Of(/^image\/./, 'an image type such as "image/png"'), url, file },
  document: {
    base64: base64Of(/^application\/pdf$/, '"application/pdf"'),
    text: ({ data }) => (typeof data === 'string' ? undefined : '`source.data` must be text'),
    content: ({ content }) =>
      typeof content === 'string' || isJsonArray(content)
        ? undefined
        : '`source.content` must be text or a list of blocks',
    url,
    file,
  },
}

/** Fields that are sent to the model, by block type. */
const keptFields: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text'],
  image: ['type', 'source'],
  document: ['type', 'source', 'title', 'context', 'citations'],
}

/** The content blocks of a tool result, or the problem with them. */
export type ReadBlocks = { readonly blocks: readonly ContentBlock[] } | { readonly problem: string }

/**
 * Reads one or more content blocks of the Messages API. Returns undefined for other data: a value with neither an
 * image or document with a `source`, nor only text blocks. Throws if a block holds a value that JSON cannot
 * represent.
 */
export function readContentBlocks(value: unknown): ReadBlocks | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!items.some(hasSource) && (items.length === 0 || !items.every(isTextBlock))) return undefined
  for (const [index, item] of items.entries()) {
    const problem = isBlock(item) ? blockProblem(item) : 'is not a text, image or document block'
    if (problem !== undefined)
      return { problem: `block ${index + 1} of ${items.length} ${problem}` }
  }
  return { blocks: items.filter(isBlock).map(toSendable) }
}

/** Returns the problem with a text, image or document block; undefined for valid blocks and other types. */
export function blockProblem({ type, text, source }: ContentBlock): string | undefined {
  if (type === 'text') return typeof text === 'string' ? undefined : 'is a text block without text'
  const checks = Object.hasOwn(sources, type) ? sources[type] : undefined
  if (checks === undefined) return undefined
  const kind = isJsonObject(source) ? source['type'] : undefined
  const check = typeof kind === 'string' && Object.hasOwn(checks, kind) ? checks[kind] : undefined
  if (check === undefined)
    return `is a block of type ${type} whose \`source.type\` must be one of ${Object.keys(checks).join(', ')}`
  const problem = isJsonObject(source) ? check(source) : undefined
  return problem && `is a block of type ${type} whose ${problem}`
}

/** Checks for an image or document source: it has a known type or a media type. Other data may also have a `source`. */
function hasSource(item: unknown): boolean {
  if (!isBlock(item) || !isJsonObject(item['source'])) return false
  const { type, media_type: mediaType } = item['source']
  const kinds = sources[item.type] ?? {}
  return typeof mediaType === 'string' || (typeof type === 'string' && Object.hasOwn(kinds, type))
}

/** Checks for a text block without unknown fields. Other data may also have a `type` and a `text`. */
function isTextBlock(item: unknown): boolean {
  if (!isBlock(item) || item.type !== 'text' || typeof item['text'] !== 'string') return false
  const known = ['type', 'text', 'citations', 'cache_control']
  return Object.keys(item).every((name) => known.includes(name))
}

function isBlock(item: unknown): item is ContentBlock {
  return isJsonObject(item) && Object.hasOwn(keptFields, String(item['type']))
}

function toSendable(block: ContentBlock): ContentBlock {
  const names = keptFields[block.type] ?? []
  const kept = names.filter((name) => block[name] !== undefined && block[name] !== null)
  const fields = kept.map((name): [string, JsonValue] => [name, wellFormed(block[name] ?? null)])
  return { ...Object.fromEntries(fields), type: block.type }
}

/** Replaces lone surrogates everywhere in a value, because model APIs reject them. */
function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return toWellFormed(value)
  if (isJsonArray(value)) return value.map(wellFormed)
  if (!isJsonObject(value)) return toScalar(value)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, wellFormed(member)]],
    ),
  )
}

function toScalar(value: JsonValue): JsonValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  throw new TypeError(`a block holds a ${typeof value}`)
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function base64Of(mediaTypes: RegExp, wanted: string): SourceCheck {
  return ({ media_type: mediaType, data }) => {
    if (typeof mediaType !== 'string' || !mediaTypes.test(mediaType))
      return `\`source.media_type\` must be ${wanted}`
    if (typeof data === 'string' && BASE64.test(data)) return undefined
    return '`source.data` must be base64 text, without line ends and without `data:` before it'
  }
}

function needsText(field: string, value: JsonValue | undefined): string | undefined {
  const isThere = typeof value === 'string' && value !== ''
  return isThere ? undefined : `\`source.${field}\` must be text that is not empty`
}

/** Lone surrogates. With the flag `u`, a surrogate pair is one character. */
const loneSurrogates = /\p{Surrogate}/gu

/** Replaces lone surrogates. One of them in a conversation makes model APIs reject every later request. */
export function toWellFormed(text: string): string {
  return text.replace(loneSurrogates, '\ufffd')
}

/** Replaces lone surrogates in result content. */
export function toWellFormedContent(content: ResultContent): ResultContent {
  return typeof content === 'string' ? toWellFormed(content) : content.map(toWellFormedBlock)
}

/** Replaces lone surrogates in a text block. Other blocks keep their identity. */
export function toWellFormedBlock(block: ContentBlock): ContentBlock {
  const { type, text } = block
  return type === 'text' && typeof text === 'string'
    ? { ...block, text: toWellFormed(text) }
    : block
}
