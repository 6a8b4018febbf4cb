import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import type { CitationEvent, CollectedResult } from '../../events/index.ts'
import type { DialectFrame } from '../port/index.ts'

/** The first event of a message. */
export function toMessageStart(id: string, model: string): DialectFrame {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Counts are known at the end alone, and the last ones told are those that count.
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  return toFrame({ type: 'message_start', message })
}

/** The events that end a message. */
export function toMessageEnd(stopReason: string, usage: JsonObject): readonly DialectFrame[] {
  const delta = { stop_reason: stopReason, stop_sequence: null, stop_details: null }
  // Readers fail without a count of what was written.
  const counts = { output_tokens: 0, ...usage }
  return [
    toFrame({ type: 'message_delta', delta, usage: counts }),
    toFrame({ type: 'message_stop' }),
  ]
}

/** The event that ends a stream whose message has failed. */
export function toErrorFrame({ type, message, code }: JsonObject): DialectFrame {
  const error = {
    type: typeof type === 'string' ? type : 'api_error',
    message: typeof message === 'string' ? message : 'The run failed.',
    ...(typeof code === 'string' && { details: { error_code: code } }),
  }
  return toFrame({ type: 'error', error })
}

/** Opens a block; `content` is JSON already, so that numbers stay as the model wrote them. */
export function toBlockStart(index: number, content: string): DialectFrame {
  return {
    event: 'content_block_start',
    data: `{"type":"content_block_start","index":${index},"content_block":${content}}`,
  }
}

/** More of a block: a delta of a type with one field. */
export function toBlockDelta(
  index: number,
  type: string,
  field: string,
  value: JsonValue,
): DialectFrame {
  // Written by hand: of this event there are thousands.
  return {
    event: 'content_block_delta',
    data: `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":${JSON.stringify(value)}}}`,
  }
}

/** Ends a block. */
export function toBlockStop(index: number): DialectFrame {
  return {
    event: 'content_block_stop',
    data: `{"type":"content_block_stop","index":${index}}`,
  }
}

/** The arguments of a call as JSON that is an object, whatever the model wrote. */
export function toInputJson(text: string): string {
  if (text.trim() === '') return '{}'
  // The API's own word for arguments that are no JSON.
  return isJsonObject(parse(text)) ? text : JSON.stringify({ INVALID_JSON: text })
}

/** What a tool that the provider ran answered, or a block that is shown as such an answer. [MAP-1] */
export function toServerResult(result: CollectedResult): string {
  const { callId, name, text, isError } = result
  const value = parse(text)
  const isResult = name.endsWith('_tool_result') || !isJsonObject(value)
  if (!isResult) return value['type'] === name ? text : JSON.stringify({ ...value, type: name })
  const content = value === undefined ? JSON.stringify(text) : text
  const head = JSON.stringify({ type: name, tool_use_id: callId }).slice(0, -1)
  const mark = name === 'mcp_tool_result' ? `,"is_error":${isError}` : ''
  return `${head}${mark},"content":${content}}`
}

/** What a tool of ours answered, with its images as the API has them in results of tools. */
export function toOwnResult(result: CollectedResult): string {
  const { callId, text, isError, images } = result
  return JSON.stringify({
    type: 'mcp_tool_result',
    tool_use_id: callId,
    is_error: isError,
    content: [
      ...(text === '' && images.length > 0 ? [] : [{ type: 'text', text }]),
      ...images.map(({ src, mediaType }) => ({ type: 'image', source: toSource(src, mediaType) })),
    ],
  })
}

const dataPattern = /^data:[^,]*;base64,/

function toSource(src: string, mediaType: string): JsonObject {
  const [head] = dataPattern.exec(src) ?? []
  if (head === undefined) return { type: 'url', url: src }
  return { type: 'base64', media_type: mediaType, data: src.slice(head.length) }
}

const ofDocument: JsonObject = { document_title: null, file_id: null }

/** Fields that the API has on every citation of a type, and which are left out where they say nothing. [MAP-3] */
const citationFields: ReadonlyMap<unknown, JsonObject> = new Map([
  ['char_location', ofDocument],
  ['page_location', ofDocument],
  ['content_block_location', ofDocument],
  ['web_search_result_location', { title: null, encrypted_index: '' }],
  ['search_result_location', { title: null }],
])

/** A citation under the API's names. */
export function toCitation({ citedText, fields }: CitationEvent): JsonObject {
  const { citation_type: told, ...own } = fields
  const type = typeof told === 'string' ? told : 'unknown'
  return { ...citationFields.get(type), ...own, type, cited_text: citedText }
}

function toFrame(event: JsonObject & { readonly type: string }): DialectFrame {
  return { event: event.type, data: JSON.stringify(event) }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
