import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { decodeList, invalidRequest, type RequestMessage } from '../request/request-content.ts'
import { countTokens } from '../request/token-count.ts'
import { parseJsonOr } from '../../parse-json-or.ts'

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

/** Prefix that Millrace's client puts before failed results, because chat completions have no field for failure. */
const ERROR_MARK = 'Error: '

/** Text by which the client assigns images to a result, because messages of the role `tool` hold only text. */
const ATTACHMENTS = /^From the result of tool call (.+):$/

const roles: readonly JsonValue[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

/** Decodes chat messages to messages of the Messages API; throws `bad_request` with the problem and its path. */
function decodeChatMessages(value: JsonValue | undefined): RequestMessage[] {
  const list = decodeList(value, 'messages')
  if (list.length === 0) throw invalidRequest('messages', 'must hold at least one message')
  const messages: RequestMessage[] = []
  let open = new Set<string>()
  list.forEach((message, index) => {
    const path = `messages.${index}`
    if (!isJsonObject(message)) throw invalidRequest(path, 'must be an object with a role')
    const { role } = message
    if (role === undefined || !roles.includes(role)) {
      throw invalidRequest(`${path}.role`, `must be one of ${roles.join(', ')}`)
    }
    if (role === 'tool') return void messages.push(decodeResult(message, open, path))
    if (open.size > 0) throw unanswered(path, open)
    if (role === 'user') messages.push(...decodeUser(message, messages, path))
    if (role !== 'assistant') return
    const decoded = decodeAssistant(message, path)
    open = new Set(idsOf(decoded))
    messages.push(decoded)
  })
  if (open.size > 0) throw unanswered(`messages.${list.length - 1}`, open)
  return messages
}

function decodeResult(message: JsonObject, open: Set<string>, path: string): RequestMessage {
  const { tool_call_id: id } = message
  if (typeof id !== 'string' || !open.delete(id)) {
    throw invalidRequest(
      path,
      'a message of the role tool must answer a call of the message before it',
    )
  }
  const text = textOf(message['content'])
  const isError = text.startsWith(ERROR_MARK)
  const content = isError ? text.slice(ERROR_MARK.length) : text
  const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError }
  return { role: 'user', content: [block] }
}

/** Moves images to the preceding result that they belong to. */
function decodeUser(
  { content }: JsonObject,
  before: RequestMessage[],
  path: string,
): RequestMessage[] {
  const blocks = toBlocks(content, path)
  let owner: JsonObject | undefined
  const own = blocks.filter((block) => {
    const id = ATTACHMENTS.exec(String(block['text'] ?? ''))?.[1]
    if (id !== undefined) owner = findResult(before, id)
    else if (block['type'] === 'text') owner = undefined
    if (owner === undefined) return true
    if (id === undefined) attach(before, owner, block)
    return false
  })
  return own.length === 0 ? [] : [{ role: 'user', content: own }]
}

function findResult(messages: readonly RequestMessage[], id: string): JsonObject | undefined {
  const blocks = messages.flatMap(({ content }) => content)
  return blocks.findLast((block) => block['tool_use_id'] === id)
}

function attach(messages: RequestMessage[], owner: JsonObject, image: JsonObject): void {
  const id = owner['tool_use_id']
  const position = messages.findLastIndex(({ content }) => content[0]?.['tool_use_id'] === id)
  const [result] = messages[position]?.content ?? []
  if (result === undefined) return
  const { content = '' } = result
  const parts = isJsonArray(content) ? content : [{ type: 'text', text: content }]
  messages[position] = { role: 'user', content: [{ ...result, content: [...parts, image] }] }
}

function toBlocks(content: JsonValue | undefined, path: string): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return decodeList(content, `${path}.content`).map((part, index) => {
    if (!isJsonObject(part) || typeof part['type'] !== 'string') {
      throw invalidRequest(`${path}.content.${index}`, 'must be a part with a type')
    }
    return part['type'] === 'image_url' ? { ...part, type: 'image' } : part
  })
}

function decodeAssistant(message: JsonObject, path: string): RequestMessage {
  const text = textOf(message['content'])
  const calls = decodeList(message['tool_calls'] ?? [], `${path}.tool_calls`)
  const said = text === '' ? [] : [{ type: 'text', text }]
  const content = [
    ...said,
    ...calls.map((call, index) => decodeCall(call, `${path}.tool_calls.${index}`)),
  ]
  return { role: 'assistant', content }
}

function decodeCall(value: JsonValue, path: string): JsonObject {
  const { id, function: given } = isJsonObject(value) ? value : {}
  const { name, arguments: values } = isJsonObject(given) ? given : {}
  if (typeof id !== 'string' || id === '') throw invalidRequest(`${path}.id`, 'must be an id')
  if (typeof name !== 'string') throw invalidRequest(`${path}.function.name`, 'must name a tool')
  if (typeof values !== 'string') throw invalidRequest(`${path}.function.arguments`, 'must be text')
  return { type: 'tool_use', id, name, input: parseJsonOr(values, {}) }
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (!isJsonArray(content)) return ''
  return content.map((part) => (isJsonObject(part) ? String(part['text'] ?? '') : '')).join('')
}

function idsOf({ content }: RequestMessage): string[] {
  return content.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []))
}

function unanswered(path: string, open: ReadonlySet<string>) {
  return invalidRequest(
    path,
    `the calls ${[...open].join(', ')} must be answered first, each by a message of the role tool`,
  )
}
