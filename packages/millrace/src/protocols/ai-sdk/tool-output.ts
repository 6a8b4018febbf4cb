import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../json/index.ts'

/** The result of a tool. */
export interface ToolOutput {
  readonly text: string
  readonly images: readonly { readonly src: string; readonly mediaType: string }[]
}

/** Text with fewer brackets is never nested too deep to be serialized again. */
const SURE_DEPTH = 1000

/** Parses JSON text; undefined if it is invalid, or nested too deep to be serialized again. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    const isSure = (text.match(/[[{]/g)?.length ?? 0) < SURE_DEPTH
    return isSure || encode(value) !== undefined ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Converts a result to an output. The JSON of an object or a list becomes that value, if it serializes to the same text; other text stays
 * text. With images, the output is a list of contents.
 */
export function toOutput({ text, images }: ToolOutput): JsonValue {
  if (images.length === 0) return toExactValue(text)
  const pictures = images.map(({ src, mediaType }) => ({ type: 'image-url', url: src, mediaType }))
  const words = text === '' ? [] : [{ type: 'text', text }]
  return { type: 'content', value: [...words, ...pictures] }
}

/** Reverses {@link toOutput}; encodes any other value as JSON. */
export function fromOutput(output: JsonValue | undefined): ToolOutput {
  if (typeof output === 'string') return { text: output, images: [] }
  const contents = contentsOf(output)
  if (contents === undefined) return { text: JSON.stringify(output ?? null), images: [] }
  const images = contents
    .filter(({ type }) => type === 'image-url')
    .map(({ url, mediaType }) => ({ src: toText(url), mediaType: toText(mediaType ?? 'image/*') }))
  const words = contents.filter(({ type }) => type === 'text').map(({ text }) => toText(text))
  return { text: words.join('\n'), images }
}

function toExactValue(text: string): JsonValue {
  if (!/^[[{]/.test(text)) return text
  const value = parseJson(text)
  return value !== undefined && encode(value) === text ? value : text
}

function encode(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Returns the contents of an output that has only text and images. */
function contentsOf(output: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (!isJsonObject(output) || output['type'] !== 'content') return undefined
  const { value } = output
  if (!isJsonArray(value) || !value.every(isContent)) return undefined
  return value
}

function isContent(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false
  const { type, text, url } = value
  if (type === 'text') return typeof text === 'string'
  return type === 'image-url' && typeof url === 'string'
}
