import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../json/index.ts'

/** An image of a result. */
export interface OutputImage {
  readonly src: string
  readonly mediaType: string
}

/** The result of a tool. */
export interface ToolOutput {
  readonly text: string
  readonly images: readonly OutputImage[]
}

/** Text with fewer brackets is never too deep to be written again. */
const SURE_DEPTH = 1000

/** Reads text as JSON; undefined if it is none, or nested too deep to be written again. */
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
 * The output of a call. The JSON of an object or a list is that value, but only if writing it again gives the same
 * text, so that nothing is lost; all other text is itself; with images it is a list of contents.
 */
export function toOutput({ text, images }: ToolOutput): JsonValue {
  if (images.length === 0) return toExactValue(text)
  const pictures = images.map(({ src, mediaType }) => ({ type: 'image-url', url: src, mediaType }))
  const words = text === '' ? [] : [{ type: 'text', text }]
  return { type: 'content', value: [...words, ...pictures] }
}

/** What {@link toOutput} was made of; of any other value its JSON. */
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

/** The contents of an output that consists of text and images only. */
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
