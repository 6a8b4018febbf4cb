import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
  parseJsonOr,
} from '../../json/index.ts'
import type { CitationEvent, CollectedResult } from '../../events/index.ts'
import type { FormatFrame } from '../port/index.ts'

/** Creates the first event of a message. */
export function toMessageStart(id: string, model: string): FormatFrame {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Counts are known only at the end. Readers use the last ones.
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  return toFrame({ type: 'message_start', message })
}

/** Creates the events that end a message. */
export function toMessageEnd(stopReason: string, usage: JsonObject): readonly FormatFrame[] {
  const delta = { stop_reason: stopReason, stop_sequence: null, stop_details: null }
  // Readers fail without a count of output tokens.
  const counts = { output_tokens: 0, ...usage }
  return [
    toFrame({ type: 'message_delta', delta, usage: counts }),
    toFrame({ type: 'message_stop' }),
  ]
}

/** Creates the event that ends the stream of a failed message. */
export function toErrorFrame({ type, message, code }: JsonObject): FormatFrame {
  const error = {
    type: typeof type === 'string' ? type : 'api_error',
    message: typeof message === 'string' ? message : 'The run failed.',
    ...(typeof code === 'string' && { details: { error_code: code } }),
  }
  return toFrame({ type: 'error', error })
}

/** Starts a block. `content` is already JSON, so numbers keep the model's notation. */
export function toBlockStart(index: number, content: string): FormatFrame {
  return {
    event: 'content_block_start',
    data: `{"type":"content_block_start","index":${index},"content_block":${content}}`,
  }
}

/** Creates a delta of a block, of a type with one field. */
export function toBlockDelta(
  index: number,
  type: string,
  field: string,
  value: JsonValue,
): FormatFrame {
  // Concatenated by hand, because there are thousands of these events.
  return {
    event: 'content_block_delta',
    data: `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":${JSON.stringify(value)}}}`,
  }
}

/** Ends a block. */
export function toBlockStop(index: number): FormatFrame {
  return {
    event: 'content_block_stop',
    data: `{"type":"content_block_stop","index":${index}}`,
  }
}

/** Converts the arguments of a call to the JSON of an object. */
export function toInputJson(text: string): string {
  if (text.trim() === '') return '{}'
  // The Messages API's key for arguments that are not JSON.
  return parseJsonObject(text) !== undefined ? text : JSON.stringify({ INVALID_JSON: text })
}

/** Creates the result of a provider's tool, or a block that is shown as one. [MAP-1] */
export function toServerResult(result: CollectedResult): string {
  const { callId, name, text, isError } = result
  const value = parseJsonOr(text, undefined)
  const isResult = name.endsWith('_tool_result') || !isJsonObject(value)
  if (!isResult) return value['type'] === name ? text : JSON.stringify({ ...value, type: name })
  const content = value === undefined ? JSON.stringify(text) : text
  const head = JSON.stringify({ type: name, tool_use_id: callId }).slice(0, -1)
  const mark = name === 'mcp_tool_result' ? `,"is_error":${isError}` : ''
  return `${head}${mark},"content":${content}}`
}

/** Creates the result of our own tool, with images as in tool results of the Messages API. */
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

/** Fields that the Messages API has on every citation of a type, and that the log omits when they are empty. [MAP-3] */
const citationFields: ReadonlyMap<unknown, JsonObject> = new Map([
  ['char_location', ofDocument],
  ['page_location', ofDocument],
  ['content_block_location', ofDocument],
  ['web_search_result_location', { title: null, encrypted_index: '' }],
  ['search_result_location', { title: null }],
])

/** Converts a citation to the names of the Messages API. */
export function toCitation({ citedText, fields }: CitationEvent): JsonObject {
  const { citation_type: citationType, ...own } = fields
  const type = typeof citationType === 'string' ? citationType : 'unknown'
  return { ...citationFields.get(type), ...own, type, cited_text: citedText }
}

function toFrame(event: JsonObject & { readonly type: string }): FormatFrame {
  return { event: event.type, data: JSON.stringify(event) }
}
