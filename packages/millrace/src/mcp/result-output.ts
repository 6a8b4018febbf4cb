import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import type { RichOutput, ToolDocument, ToolImage } from '../tools/index.ts'
import type { ResultLimits } from './mcp-options.ts'

/** One part of a result. A part may be only a note about omitted content. */
interface Part {
  readonly text?: string
  readonly image?: ToolImage
  readonly document?: ToolDocument
}

type PartReader = (part: JsonObject, limits: ResultLimits) => Part

const readers: Readonly<Record<string, PartReader>> = {
  text: ({ text }) => ({ text: textOf(text) }),
  image: ({ data, mimeType }, limits) => readBytes('image', textOf(data), textOf(mimeType), limits),
  audio: ({ data, mimeType }) => ({ text: noteOf('audio', textOf(mimeType), textOf(data)) }),
  resource: ({ resource }, limits) => readResource(resource, limits),
  resource_link: ({ name, uri, description }) => ({
    text: `[resource ${[name, uri, description].map(textOf).filter(Boolean).join(', ')}]`,
  }),
}

/** Image types that model APIs accept. */
const imageTypes: ReadonlySet<string> = new Set([
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
])

const PDF = 'application/pdf'

/** Converts the result of a server to tool output within the limits. Never throws. */
export function toOutput(result: JsonObject, limits: ResultLimits): RichOutput {
  const { content, structuredContent } = result
  const isError = result['isError'] === true
  const items = isJsonArray(content) ? content.filter(isJsonObject) : []
  const parts = items.map((item) => readPart(item, limits))
  const texts = parts.flatMap(({ text }) => text ?? [])
  const images = parts.flatMap(({ image }) => image ?? [])
  const documents = parts.flatMap(({ document }) => document ?? [])
  if (texts.length === 0 && structuredContent !== undefined) {
    texts.push(toJson(structuredContent))
  }
  if (texts.length === 0 && isError) texts.push('The tool failed without a reason.')
  const text = cut(texts.join('\n'), limits.maxResultChars)
  const surplus = [images, documents].map(({ length }) => Math.max(0, length - limits.maxImages))
  const leftOut = surplus.reduce((total, count) => total + count, 0)
  return {
    text: leftOut === 0 ? text : `${text}\n[images and documents omitted: ${leftOut}]`,
    images: images.slice(0, limits.maxImages),
    documents: documents.slice(0, limits.maxImages),
    isError,
  }
}

function readPart(part: JsonObject, limits: ResultLimits): Part {
  const type = textOf(part['type'])
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined
  return read?.(part, limits) ?? { text: `[content of type "${type}", which is not supported]` }
}

/** Reads an embedded resource: its text, or its data if a model can read the type. */
function readResource(resource: JsonValue | undefined, limits: ResultLimits): Part {
  if (!isJsonObject(resource)) return {}
  const { text, blob, mimeType, uri } = resource
  if (typeof text === 'string') return { text }
  return readBytes(`resource ${textOf(uri)}`, textOf(blob), textOf(mimeType), limits)
}

function readBytes(label: string, data: string, mediaType: string, limits: ResultLimits): Part {
  const isSmall = data.length > 0 && data.length <= limits.maxImageChars
  if (isSmall && imageTypes.has(mediaType)) return { image: { data, mediaType } }
  if (isSmall && mediaType === PDF) return { document: { data, mediaType } }
  return { text: noteOf(label, mediaType, data) }
}

function noteOf(label: string, mediaType: string, data: string): string {
  // Four base64 characters encode three bytes.
  const bytes = Math.floor((data.length * 3) / 4)
  return `[${label}${mediaType === '' ? '' : `, ${mediaType}`}, ${bytes} bytes, not shown]`
}

function toJson(value: JsonValue): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '[structured content that is nested too deeply, not shown]'
  }
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const isSplit = (text.codePointAt(maxChars - 1) ?? 0) > 0xffff
  const kept = text.slice(0, isSplit ? maxChars - 1 : maxChars)
  return `${kept}\n[… ${text.length - kept.length} more characters omitted]`
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
