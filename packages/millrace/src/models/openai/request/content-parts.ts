import { type ContentBlock, isContentBlock } from '../../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/** A content part of chat completions. */
export interface ContentPart extends JsonObject {
  readonly type: string
}

/** Converts a block to content parts. Returns undefined for an unsupported block. */
export function toContentParts(block: ContentBlock): readonly ContentPart[] | undefined {
  return Object.hasOwn(writers, block.type) ? writers[block.type]?.(block) : undefined
}

/** Creates message content: one text if all parts are text, because many servers accept nothing else. */
export function toContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.map(({ text }) => text)
  if (!texts.every((text) => typeof text === 'string')) return parts
  return texts.join('\n\n')
}

/** Creates a text part. */
export function textPart(text: string): ContentPart {
  return { type: 'text', text }
}

type Writer = (block: ContentBlock) => readonly ContentPart[] | undefined

const writers: Readonly<Record<string, Writer>> = {
  text: ({ text }) => [textPart(String(text ?? ''))],
  image: ({ source }) => {
    const url = urlOf(source)
    return url === undefined ? toFilePart(source) : [{ type: 'image_url', image_url: { url } }]
  },
  document: (block) => toDocument(block),
  // Converted parts.
  image_url: (block) => [block],
  file: (block) => [block],
  search_result: ({ title, source, content }) => {
    const heading = textPart(`${String(title ?? '')} (${String(source ?? '')})`)
    return [heading, ...listOf(content).flatMap((inner) => toContentParts(inner) ?? [])]
  },
}

function toDocument({ source, title }: ContentBlock): readonly ContentPart[] | undefined {
  if (!isJsonObject(source)) return undefined
  const heading = typeof title === 'string' && title !== '' ? [textPart(title)] : []
  if (source['type'] === 'text') return [...heading, textPart(String(source['data'] ?? ''))]
  if (source['type'] === 'content') {
    const inner = source['content']
    if (typeof inner === 'string') return [...heading, textPart(inner)]
    return [...heading, ...listOf(inner).flatMap((block) => toContentParts(block) ?? [])]
  }
  const data = urlOf(source)
  if (data === undefined) return toFilePart(source)
  const filename = typeof title === 'string' && title !== '' ? title : 'document.pdf'
  return [{ type: 'file', file: { filename, file_data: data } }]
}

function toFilePart(source: JsonValue | undefined): readonly ContentPart[] | undefined {
  const id = isJsonObject(source) ? source['file_id'] : undefined
  return typeof id === 'string' ? [{ type: 'file', file: { file_id: id } }] : undefined
}

/** Returns the URL of an image or file, or its data as a data URL. */
function urlOf(source: JsonValue | undefined): string | undefined {
  if (!isJsonObject(source)) return undefined
  const { url, media_type: mediaType, data } = source
  if (typeof url === 'string') return url
  return typeof data === 'string' ? `data:${String(mediaType)};base64,${data}` : undefined
}

function listOf(value: JsonValue | undefined): readonly ContentBlock[] {
  return isJsonArray(value) ? value.filter(isContentBlock) : []
}
