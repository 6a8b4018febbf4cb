import { MillraceError } from '../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { apiVersions } from './request-headers.ts'
import { countTokens } from './token-count.ts'

/** One message of a request, its content as blocks. */
export interface RequestMessage {
  readonly role: string
  readonly content: readonly JsonObject[]
}

/** What the emulator reads of a request. */
export interface MessagesRequest {
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly RequestMessage[]
  readonly tools: ReadonlySet<string>
  readonly inputTokens: number
}

/** How a request is read. */
export interface DecodeOptions {
  /** The value of the `anthropic-version` header. */
  readonly version: string | null
  /** A request to count tokens has no `max_tokens`. */
  readonly needsMaxTokens: boolean
}

/** Refused since the later version, which also knows messages of the role `system`. */
const samplingParameters = ['temperature', 'top_p', 'top_k']

/** Reads the body of a request, or throws `bad_request` with what is wrong and where. */
export function decodeMessagesRequest(
  body: JsonValue,
  { version, needsMaxTokens }: DecodeOptions,
): MessagesRequest {
  if (!isJsonObject(body)) throw refuse('body', 'must be a JSON object')
  const { model, max_tokens, stream = false, system = '', messages, tools = [] } = body
  if (typeof model !== 'string' || model === '') throw refuse('model', 'must name a model')
  if (needsMaxTokens && !isPositive(max_tokens)) {
    throw refuse('max_tokens', 'must be a whole number of at least 1')
  }
  if (typeof stream !== 'boolean') throw refuse('stream', 'must be true or false')
  const isLater = version === apiVersions.later
  if (isLater) refuseSampling(body)
  const roles = isLater ? [...plainRoles, 'system'] : plainRoles
  return {
    model,
    stream,
    messages: decodeMessages(messages, roles),
    tools: new Set(decodeList(tools, 'tools').map(decodeToolName)),
    inputTokens: countTokens(JSON.stringify([system, tools, messages])),
  }
}

/** The error that says which part of a request cannot be used. */
export function refuse(path: string, problem: string): MillraceError {
  return new MillraceError('bad_request', `${path}: ${problem}`)
}

const plainRoles = ['user', 'assistant']

function decodeMessages(value: JsonValue | undefined, roles: readonly string[]): RequestMessage[] {
  const messages = decodeList(value, 'messages')
  if (messages.length === 0) throw refuse('messages', 'must hold at least one message')
  return messages.map((message, index) => decodeMessage(message, `messages.${index}`, roles))
}

function decodeMessage(value: JsonValue, path: string, roles: readonly string[]): RequestMessage {
  if (!isJsonObject(value)) throw refuse(path, 'must be an object with role and content')
  const { role, content } = value
  if (typeof role !== 'string' || !roles.includes(role)) {
    throw refuse(`${path}.role`, `must be ${roles.join(' or ')}`)
  }
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const list = decodeList(blocks, `${path}.content`)
  if (list.length === 0) throw refuse(`${path}.content`, 'must not be empty')
  return {
    role,
    content: list.map((block, index) => decodeBlock(block, `${path}.content.${index}`)),
  }
}

function decodeBlock(value: JsonValue, path: string): JsonObject {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') {
    throw refuse(path, 'must be a block with a type')
  }
  const isBlank = value['type'] === 'text' && String(value['text'] ?? '').trim() === ''
  if (isBlank) throw refuse(`${path}.text`, 'must hold more than white space')
  return value
}

function decodeToolName(value: JsonValue, index: number): string {
  if (isJsonObject(value) && typeof value['name'] === 'string') return value['name']
  throw refuse(`tools.${index}.name`, 'must name the tool')
}

function decodeList(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  if (isJsonArray(value)) return value
  throw refuse(path, 'must be a list')
}

function refuseSampling(body: JsonObject): void {
  for (const name of samplingParameters) {
    if (Object.hasOwn(body, name))
      throw refuse(name, `is not taken since version ${apiVersions.later}`)
  }
}

function isPositive(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1
}
