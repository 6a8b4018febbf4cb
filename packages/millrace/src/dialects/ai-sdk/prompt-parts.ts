import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { parseJson } from './tool-output.ts'

/** Whose prompt it is, and whether the reader may have its files. */
export interface PromptPartsOptions {
  readonly session: string
  readonly hasFiles: boolean
}

/** Of a prompt only files that the server keeps are named so; anything else in this place is the sender's own. */
const keptId = /^upload_[0-9a-f]{32}$/

/** What the log says in the place of long text. */
const textLabel = /^\[text, \d+\.\d [KM]B\]$/

/** The parts of what was asked: text, or blocks, in which the log keeps the ids and sizes of files in place of them. */
export function toPromptParts(query: string, options: PromptPartsOptions): readonly JsonObject[] {
  const blocks = query.startsWith('[{"type":') ? parseJson(query) : undefined
  if (!isJsonArray(blocks) || !blocks.every(isJsonObject)) return [{ type: 'text', text: query }]
  return blocks.map((block) => toPart(block, options))
}

function toPart(block: JsonObject, options: PromptPartsOptions): JsonObject {
  const { type, text, source, title } = block
  if (type === 'text' && typeof text === 'string') return { type, text }
  const { media_type: mediaType, filename = title, ...rest } = isJsonObject(source) ? source : {}
  const url = toUrl(rest, options)
  if (url === undefined || typeof mediaType !== 'string') return toAttachment(block)
  const named = typeof filename === 'string' ? { filename } : {}
  return { type: 'file', mediaType, ...named, url }
}

/** Where a file is: with the server, or, if it is short text, in the URL itself. */
function toUrl(
  { type, file_id: id, data }: JsonObject,
  { session, hasFiles }: PromptPartsOptions,
): string | undefined {
  if (typeof id === 'string' && keptId.test(id))
    return hasFiles ? `/agent/${session}/files/${id}` : undefined
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
