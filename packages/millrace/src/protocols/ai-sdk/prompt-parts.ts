import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../json/index.ts'
import { parseJson } from './tool-output.ts'

/** The session of a prompt, and its stored files. */
interface PromptPartsOptions {
  readonly session: string
  /** The `user_files` of `meta_init`. */
  readonly files: readonly JsonObject[]
}

/** Placeholder in the log for long text. */
const textLabel = /^\[text, \d+\.\d [KM]B\]$/

/** Converts a prompt to parts. The prompt is text, or blocks in which the log has sizes in place of files. */
export function toPromptParts(query: string, options: PromptPartsOptions): readonly JsonObject[] {
  const blocks = query.startsWith('[{"type":') ? parseJson(query) : undefined
  if (!isJsonArray(blocks) || !blocks.every(isJsonObject)) return [{ type: 'text', text: query }]
  return blocks.map((block, position) => toPart(block, fileAt(position, options)))
}

/** URL and name of the stored file of a block. */
interface KeptFile {
  readonly url: string
  readonly filename: JsonValue | undefined
}

function fileAt(position: number, { session, files }: PromptPartsOptions): KeptFile | undefined {
  const found = files.find(({ block }) => block === position)
  if (found === undefined) return undefined
  return { url: `/agent/${session}/files/${toText(found['file_id'])}`, filename: found['filename'] }
}

function toPart(block: JsonObject, file: KeptFile | undefined): JsonObject {
  const { type, text, source, title } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  const fields = isJsonObject(source) ? source : {}
  const { media_type: mediaType } = fields
  const filename = file?.filename ?? title
  const url = file?.url ?? toDataUrl(fields)
  if (url === undefined || typeof mediaType !== 'string') return toAttachment(block)
  const named = typeof filename === 'string' ? { filename } : {}
  return { type: 'file', mediaType, ...named, url }
}

/** Converts short text to a data URL. The log stores short text completely. */
function toDataUrl({ type, data }: JsonObject): string | undefined {
  if (type !== 'text' || typeof data !== 'string' || textLabel.test(data)) return undefined
  return `data:text/plain;charset=utf-8,${toPercent(data)}`
}

/** Percent-encodes text. Lone surrogates, which no URL can contain, become replacement characters. */
function toPercent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'))
}

function toAttachment(block: JsonObject): JsonObject {
  const data: JsonValue = block
  return { type: 'data-attachment', data }
}
