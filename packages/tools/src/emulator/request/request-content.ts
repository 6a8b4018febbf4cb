import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, MillraceError } from 'millrace'

/** Creates the error for an invalid field of a request. */
export function invalidRequest(path: string, problem: string): MillraceError {
  return new MillraceError('bad_request', `${path}: ${problem}`)
}

/** A message of a request, with its content as blocks. */
export interface RequestMessage {
  readonly role: string
  readonly content: readonly JsonObject[]
}

interface ContentRules {
  /** The later API version accepts messages of the role `system` and rejects two deprecated forms. */
  readonly isLater: boolean
}

/** Decodes the messages of a request; throws `bad_request` with the problem and its path. */
export function decodeMessages(
  value: JsonValue | undefined,
  rules: ContentRules,
): RequestMessage[] {
  const messages = decodeList(value, 'messages')
  if (messages.length === 0) throw invalidRequest('messages', 'must hold at least one message')
  return messages.map((message, index) => decodeMessage(message, `messages.${index}`, rules))
}

/** Decodes a list; throws for any other value. */
export function decodeList(value: JsonValue | undefined, path: string): readonly JsonValue[] {
  if (isJsonArray(value)) return value
  throw invalidRequest(path, 'must be a list')
}

function decodeMessage(value: JsonValue, path: string, { isLater }: ContentRules): RequestMessage {
  if (!isJsonObject(value)) throw invalidRequest(path, 'must be an object with role and content')
  const { role, content } = value
  const roles = isLater ? ['user', 'assistant', 'system'] : ['user', 'assistant']
  if (typeof role !== 'string' || !roles.includes(role)) {
    throw invalidRequest(`${path}.role`, `must be ${roles.join(' or ')}`)
  }
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const list = decodeList(blocks, `${path}.content`)
  if (list.length === 0) throw invalidRequest(`${path}.content`, 'must not be empty')
  const decoded = list.map((block, index) => decodeBlock(block, `${path}.content.${index}`))
  checkOwners(role, decoded, path)
  if (isLater) rejectDeprecatedForms(role, decoded, path)
  return { role, content: decoded }
}

function decodeBlock(value: JsonValue, path: string): JsonObject {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') {
    throw invalidRequest(path, 'must be a block with a type')
  }
  blockChecks.get(value['type'])?.(value, path)
  return value
}

/** Checks by block type; other types are accepted unchecked. */
const blockChecks: ReadonlyMap<string, (block: JsonObject, path: string) => void> = new Map([
  ['text', checkText],
  ['tool_use', checkCall],
  ['server_tool_use', checkCall],
  ['mcp_tool_use', checkCall],
  ['tool_result', checkResult],
  ['image', checkSource],
  ['document', checkSource],
])

/** The role that each block type requires; other types are accepted from any role. */
const owners: ReadonlyMap<unknown, string> = new Map([
  ['tool_use', 'assistant'],
  ['server_tool_use', 'assistant'],
  ['mcp_tool_use', 'assistant'],
  ['thinking', 'assistant'],
  ['redacted_thinking', 'assistant'],
  ['tool_result', 'user'],
])

function checkOwners(role: string, blocks: readonly JsonObject[], path: string): void {
  blocks.forEach(({ type }, index) => {
    const owner = owners.get(type) ?? role
    if (owner !== role)
      throw invalidRequest(`${path}.content.${index}`, `${String(type)} blocks are the ${owner}’s`)
  })
}

function checkText({ text }: JsonObject, path: string): void {
  if (typeof text !== 'string') throw invalidRequest(`${path}.text`, 'must be text')
  if (text.trim() === '') throw invalidRequest(`${path}.text`, 'must hold more than white space')
}

const idPattern = /^[\w-]+$/

function checkCall({ id, name, input }: JsonObject, path: string): void {
  if (typeof id !== 'string' || !idPattern.test(id))
    throw invalidRequest(`${path}.id`, 'must be an id of letters, digits, hyphens and underscores')
  if (typeof name !== 'string' || name === '')
    throw invalidRequest(`${path}.name`, 'must name a tool')
  if (!isJsonObject(input)) throw invalidRequest(`${path}.input`, 'must be an object')
}

function checkResult(
  { tool_use_id: id, content, is_error: isError }: JsonObject,
  path: string,
): void {
  if (typeof id !== 'string' || id === '')
    throw invalidRequest(`${path}.tool_use_id`, 'must be an id')
  if (isError !== undefined && typeof isError !== 'boolean') {
    throw invalidRequest(`${path}.is_error`, 'must be true or false')
  }
  const parts = decodeParts(content, `${path}.content`)
  if (isError === true) checkError(content, parts, `${path}.content`)
}

/** Block types that a tool result may contain. */
const resultParts: readonly unknown[] = [
  'text',
  'image',
  'document',
  'search_result',
  'tool_reference',
]

function decodeParts(content: JsonValue | undefined, path: string): readonly JsonObject[] {
  if (content === undefined || typeof content === 'string') return []
  return decodeList(content, path).map((part, index) => {
    const block = decodeBlock(part, `${path}.${index}`)
    if (resultParts.includes(block['type'])) return block
    throw invalidRequest(`${path}.${index}.type`, `must be ${resultParts.join(' or ')}`)
  })
}

/** A failed result must contain text. */
function checkError(
  content: JsonValue | undefined,
  parts: readonly JsonObject[],
  path: string,
): void {
  if (parts.some(({ type }) => type !== 'text'))
    throw invalidRequest(path, 'of an error must be text')
  if (parts.length === 0 && (typeof content !== 'string' || content.trim() === ''))
    throw invalidRequest(path, 'of an error must not be empty')
}

const imageTypes: readonly unknown[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

function checkSource({ type, source }: JsonObject, path: string): void {
  if (!isJsonObject(source) || typeof source['type'] !== 'string')
    throw invalidRequest(`${path}.source`, 'must be an object with a type')
  if (source['type'] !== 'base64') return
  const { data, media_type: mediaType } = source
  if (typeof data !== 'string' || data === '')
    throw invalidRequest(`${path}.source.data`, 'must hold data')
  if (type === 'image' && !imageTypes.includes(mediaType))
    throw invalidRequest(`${path}.source.media_type`, `must be ${imageTypes.join(' or ')}`)
}

/** Rejects two forms that the earlier version accepted. */
function rejectDeprecatedForms(role: string, blocks: readonly JsonObject[], path: string): void {
  blocks.forEach(({ type, citations }, index) => {
    if (role === 'assistant' && type === 'document') {
      throw invalidRequest(
        `${path}.content.${index}`,
        'a document is not allowed in an assistant message',
      )
    }
    if (role === 'user' && type === 'text' && citations !== undefined) {
      throw invalidRequest(
        `${path}.content.${index}.citations`,
        'is not allowed on text of the user',
      )
    }
  })
}

/** A conversation, split at the newest user message. */
interface SplitConversation {
  /** The messages before it; ends with the tool results that share its message. */
  readonly before: readonly RequestMessage[]
  /** The blocks of the user message, files included. */
  readonly blocks: readonly JsonObject[]
  readonly after: readonly RequestMessage[]
}

/** Splits a conversation at the newest user message; undefined if there is none. */
export function splitAtNewestMessage(
  messages: readonly RequestMessage[],
): SplitConversation | undefined {
  const position = messages.findLastIndex(holdsUserContent)
  const message = messages[position]
  if (message === undefined) return undefined
  const { role, content } = message
  const start = startOfUserContent(content)
  const beside = start === 0 ? [] : [{ role, content: content.slice(0, start) }]
  return {
    before: [...messages.slice(0, position), ...beside],
    blocks: content.slice(start),
    after: messages.slice(position + 1),
  }
}

function holdsUserContent({ role, content }: RequestMessage): boolean {
  return role === 'user' && content.some(({ type }) => type !== 'tool_result')
}

/** A question without an answer precedes the new one in the same message. */
function startOfUserContent(content: readonly JsonObject[]): number {
  const newest = content.findLastIndex(({ type }) => type === 'text')
  const earlier = content.slice(0, newest < 0 ? content.length : newest)
  return earlier.findLastIndex(({ type }) => type === 'text' || type === 'tool_result') + 1
}
