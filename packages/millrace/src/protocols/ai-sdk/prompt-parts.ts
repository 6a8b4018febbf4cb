import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toText,
} from '../../json/index.ts'
import { parseJson } from './tool-output.ts'

/** Whose prompt it is, and its files that can be fetched. */
export interface PromptPartsOptions {
  readonly session: string
  /** What `user_files` of `meta_init` says. */
  readonly files: readonly JsonObject[]
}

/** What the log says in the place of long text. */
const textLabel = /^\[text, \d+\.\d [KM]B\]$/

/** The parts of what was asked: text, or blocks, in which the log keeps the sizes of files in place of them. */
export function toPromptParts(query: string, options: PromptPartsOptions): readonly JsonObject[] {
  const blocks = query.startsWith('[{"type":') ? parseJson(query) : undefined
  if (!isJsonArray(blocks) || !blocks.every(isJsonObject)) return [{ type: 'text', text: query }]
  return blocks.map((block, position) => toPart(block, fileAt(position, options)))
}

/** Where the file of a block can be fetched, and what it is called. */
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
  const told = isJsonObject(source) ? source : {}
  const { media_type: mediaType } = told
  const filename = file?.filename ?? title
  const url = file?.url ?? toDataUrl(told)
  if (url === undefined || typeof mediaType !== 'string') return toAttachment(block)
  const named = typeof filename === 'string' ? { filename } : {}
  return { type: 'file', mediaType, ...named, url }
}

/** Short text stands whole in the log, and so in the URL itself. */
function toDataUrl({ type, data }: JsonObject): string | undefined {
  if (type !== 'text' || typeof data !== 'string' || textLabel.test(data)) return undefined
  return `data:text/plain;charset=utf-8,${toPercent(data)}`
}

/** Halves of characters, which no URL can hold, become the sign for what cannot be read. */
function toPercent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'))
}

function toAttachment(block: JsonObject): JsonObject {
  const data: JsonValue = block
  return { type: 'data-attachment', data }
}
