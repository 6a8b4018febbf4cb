import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { decodeChatMessages } from './openai-messages.ts'
import { decodeList, type RequestMessage } from '../request/request-content.ts'
import { invalidRequest } from '../request/invalid-request.ts'
import { countTokens } from '../request/token-count.ts'

/** The fields of a chat completion request that the emulator reads. */
export interface ChatRequest {
  readonly model: string
  readonly stream: boolean
  /** Whether a stream ends with a chunk that carries the usage. */
  readonly includesUsage: boolean
  readonly messages: readonly RequestMessage[]
  readonly tools: ReadonlySet<string>
  readonly inputTokens: number
  readonly maxTokens: number
  readonly stopSequences: readonly string[]
  /** Peculiarities of the request that had no effect on the answer. */
  readonly notices: readonly string[]
}

/** Known fields; others are accepted and reported as notices. */
const knownFields: ReadonlySet<string> = new Set([
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'model',
  'stop',
  'stream',
  'stream_options',
  'temperature',
  'tools',
])

const namePattern = /^[\w-]{1,64}$/

/** Decodes the body of a request; throws `bad_request` with the problem and its path. */
export function decodeChatRequest(body: JsonValue): ChatRequest {
  if (!isJsonObject(body)) throw invalidRequest('body', 'must be a JSON object')
  const { model, stream = false, messages, tools = [], temperature } = body
  if (typeof model !== 'string' || model === '') throw invalidRequest('model', 'must name a model')
  if (stream !== null && typeof stream !== 'boolean')
    throw invalidRequest('stream', 'must be true or false')
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 2)) {
    throw invalidRequest('temperature', 'must be a number from 0 to 2')
  }
  return {
    model,
    stream: stream === true,
    includesUsage: decodeUsageOption(body),
    messages: decodeChatMessages(messages),
    tools: decodeTools(tools),
    inputTokens: countTokens(JSON.stringify([tools, messages])),
    maxTokens: decodeMaxTokens(body),
    stopSequences: decodeStop(body['stop']),
    notices: Object.keys(body)
      .filter((field) => !knownFields.has(field))
      .map((field) => `field ${field} changes nothing`),
  }
}

function decodeUsageOption({ stream, stream_options: options }: JsonObject): boolean {
  if (options === undefined || options === null) return false
  if (stream !== true) throw invalidRequest('stream_options', 'is only for streams')
  return isJsonObject(options) && options['include_usage'] === true
}

/** The older field and the newer field exclude each other. */
function decodeMaxTokens({ max_tokens: older, max_completion_tokens: newer }: JsonObject): number {
  if (isGiven(older) && isGiven(newer)) {
    throw invalidRequest('max_tokens', 'cannot be combined with max_completion_tokens')
  }
  const value = isGiven(newer) ? newer : older
  if (!isGiven(value)) return Infinity
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  const name = isGiven(newer) ? 'max_completion_tokens' : 'max_tokens'
  throw invalidRequest(name, 'must be a whole number of at least 1')
}

function decodeStop(value: JsonValue | undefined): string[] {
  const list = isJsonArray(value) ? value : [value]
  return list.filter((sequence) => typeof sequence === 'string' && sequence !== '').map(String)
}

function decodeTools(value: JsonValue): ReadonlySet<string> {
  const names = decodeList(value, 'tools').map((tool, index) => {
    const path = `tools.${index}`
    const { type, function: given } = isJsonObject(tool) ? tool : {}
    if (type !== 'function') throw invalidRequest(`${path}.type`, 'must be function')
    const name = isJsonObject(given) ? given['name'] : undefined
    if (typeof name === 'string' && namePattern.test(name)) return name
    throw invalidRequest(
      `${path}.function.name`,
      'must be 1 to 64 letters, digits, hyphens or underscores',
    )
  })
  return new Set(names)
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null
}
