import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import {
  decodeList,
  decodeMessages,
  invalidRequest,
  type RequestMessage,
} from './request-content.ts'
import {
  apiVersions,
  checkCacheControl,
  checkSampling,
  checkSystem,
  checkThinking,
  checkToolChoice,
  decodeStopSequences,
  noticesOf,
  rejectSampling,
} from './request-rules.ts'
import { countTokens } from './token-count.ts'

const namePattern = /^[\w-]{1,128}$/

/** A validated request of the Messages API. */
export interface MessagesRequest {
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly RequestMessage[]
  readonly tools: ReadonlySet<string>
  readonly eagerTools: ReadonlySet<string>
  readonly inputTokens: number
  readonly maxTokens: number
  readonly stopSequences: readonly string[]
  /** Peculiarities of the request that had no effect on the answer. */
  readonly notices: readonly string[]
}

interface DecodeOptions {
  /** Value of the `anthropic-version` header. */
  readonly version: string | null
  /** A token count request has no `max_tokens`. */
  readonly needsMaxTokens: boolean
}

/** Decodes the body of a request; throws `bad_request` with the problem and its path. */
export function decodeMessagesRequest(
  body: JsonValue,
  { version, needsMaxTokens }: DecodeOptions,
): MessagesRequest {
  if (!isJsonObject(body)) throw invalidRequest('body', 'must be a JSON object')
  const { model, stream = false, system = '', messages, tools: offered = [] } = body
  if (typeof model !== 'string' || model === '') throw invalidRequest('model', 'must name a model')
  if (typeof stream !== 'boolean') throw invalidRequest('stream', 'must be true or false')
  const isLater = version === apiVersions.later
  if (isLater) rejectSampling(body)
  else checkSampling(body)
  const maxTokens = needsMaxTokens ? decodeMaxTokens(body['max_tokens']) : Infinity
  const tools = decodeTools(offered)
  checkThinking(body['thinking'], maxTokens)
  checkCacheControl(body)
  checkToolChoice(body['tool_choice'], tools.names)
  checkSystem(system)
  return {
    model,
    stream,
    messages: decodeMessages(messages, { isLater }),
    tools: tools.names,
    eagerTools: tools.eager,
    inputTokens: countTokens(JSON.stringify([system, offered, messages])),
    maxTokens,
    stopSequences: decodeStopSequences(body['stop_sequences']),
    notices: noticesOf(body),
  }
}

function decodeMaxTokens(value: JsonValue | undefined): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw invalidRequest('max_tokens', 'must be a whole number of at least 1')
}

/** Decodes the tools of a request; throws `bad_request` with the problem and its path. */
function decodeTools(value: JsonValue | undefined) {
  const names = new Set<string>()
  const eager = new Set<string>()
  decodeList(value ?? [], 'tools').forEach((tool, index) => {
    const path = `tools.${index}`
    if (!isJsonObject(tool)) throw invalidRequest(path, 'must be an object')
    const name = decodeName(tool, path)
    if (name === undefined) return
    if (names.has(name)) throw invalidRequest(`${path}.name`, `there are two tools ${name}`)
    names.add(name)
    if (tool['eager_input_streaming'] === true) eager.add(name)
  })
  return {
    names,
    /** Tools whose input is streamed while the model writes it. */
    eager,
  }
}

/** A toolset, such as that of an MCP server, has no name. */
function decodeName(
  { type, name, input_schema: schema }: JsonObject,
  path: string,
): string | undefined {
  const isCustom = type === undefined || type === null || type === 'custom'
  if (name === undefined && !isCustom) return undefined
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw invalidRequest(`${path}.name`, 'must be 1 to 128 letters, digits, hyphens or underscores')
  }
  if (isCustom && (!isJsonObject(schema) || schema['type'] !== 'object')) {
    throw invalidRequest(`${path}.input_schema`, 'must be a JSON Schema of the type object')
  }
  const choice = ['oneOf', 'allOf', 'anyOf'].find((key) => isJsonObject(schema) && key in schema)
  if (isCustom && choice !== undefined)
    throw invalidRequest(`${path}.input_schema`, `must not have ${choice} at its top`)
  return name
}
