import {
  type ContentBlock,
  isContentBlock,
  type Message,
  type ModelRequest,
} from '../../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { ownFieldsOf } from '../reader/message-blocks.ts'

const writers: Readonly<Record<string, Writer>> = {
  text: ({ text }) => [textPart(String(text ?? ''))],
  image: ({ source }) => {
    const url = urlOf(source)
    return url === undefined ? toFilePart(source) : [{ type: 'image_url', image_url: { url } }]
  },
  document: (block) => toDocument(block),
  // Converted parts.
  image_url: (block) => [block],
  file: (block) => [block],
  search_result: ({ title, source, content }) => {
    const heading = textPart(`${String(title ?? '')} (${String(source ?? '')})`)
    return [heading, ...listOf(content).flatMap((inner) => toContentParts(inner) ?? [])]
  },
}

/** Thinking that is sent back to the model, each in its original field. */
export type ThinkingReturn = 'with-calls' | 'always' | 'never'

interface ChatMessagesOptions {
  readonly thinking: ThinkingReturn
}

/** Blocks that are omitted without a notice: another provider's thinking has no meaning here. */
const droppedTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

/** Converts the system prompt and the messages of a request to chat completions messages; collects the block types that it omits. */
export function toChatMessages(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  { thinking }: ChatMessagesOptions,
): { readonly messages: readonly JsonObject[]; readonly omitted: ReadonlySet<string> } {
  const omitted = new Set<string>()
  const fields = thinking === 'never' ? [] : messages.flatMap(reasoningFields)
  // After reasoning, DeepSeek rejects a call without this field, even if it is empty.
  const expected = fields.includes('reasoning_content') ? { reasoning_content: '' } : {}
  const written = messages.flatMap((message) =>
    message.role === 'user'
      ? toUserMessages(message, omitted)
      : toAssistantMessages(message, { thinking, expected, omitted }),
  )
  const first = system === undefined ? [] : [{ role: 'system', content: system }]
  return { messages: [...first, ...written], omitted }
}

/** Converts a user message. Results come first: they must follow the message with the calls. */
function toUserMessages({ content }: Message, omitted: Set<string>): JsonObject[] {
  const results = content.filter(isResult).map(toToolResult)
  const others = content.filter((block) => !isResult(block))
  const parts = [
    ...toAttachments(results),
    ...others.flatMap((block) => toContentParts(block) ?? omit(block, omitted)),
  ]
  const answers = results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  return parts.length === 0 ? answers : [...answers, { role: 'user', content: toContent(parts) }]
}

interface AssistantOptions extends ChatMessagesOptions {
  /** Fields of every message with calls. */
  readonly expected: JsonObject
  readonly omitted: Set<string>
}

function toAssistantMessages(
  { content }: Message,
  { thinking, expected, omitted }: AssistantOptions,
): JsonObject[] {
  const text = content.map(({ type, text: part }) => (type === 'text' ? String(part) : '')).join('')
  const calls = content.filter(({ type }) => type === 'tool_use').map(toToolCall)
  for (const block of content) {
    if (block.type !== 'text' && block.type !== 'tool_use') omit(block, omitted)
  }
  const hasCalls = calls.length > 0
  if (text === '' && !hasCalls) return []
  const isReturned = thinking === 'always' || (thinking === 'with-calls' && hasCalls)
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(isReturned && hasCalls && expected),
      ...(isReturned && toReasoning(content)),
      ...(hasCalls && { tool_calls: calls }),
    },
  ]
}

function toToolCall(block: ContentBlock): JsonObject {
  const { id, name, input } = block
  const call = { name: String(name), arguments: JSON.stringify(input ?? {}) }
  return { ...ownFieldsOf(block), id: String(id), type: 'function', function: call }
}

/** Returns the thinking of a message by its original fields, and OpenRouter's details. */
function toReasoning(content: readonly ContentBlock[]): JsonObject {
  const texts = new Map<string, string>()
  const details: JsonValue[] = []
  for (const block of content) {
    if (block.type !== 'thinking') continue
    const { field, reasoning_details: list } = ownFieldsOf(block)
    const text = String(block['thinking'])
    if (typeof field === 'string') texts.set(field, (texts.get(field) ?? '') + text)
    if (isJsonArray(list)) details.push(...list)
  }
  return {
    ...Object.fromEntries(texts),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

function reasoningFields({ content }: Message): unknown[] {
  return content.map((block) => ownFieldsOf(block)['field'])
}

function omit({ type }: ContentBlock, omitted: Set<string>): [] {
  if (!droppedTypes.has(type)) omitted.add(type)
  return []
}

function isResult({ type }: ContentBlock): boolean {
  return type === 'tool_result'
}

/** The result of a call, split for a message with the role `tool`. */
interface ToolResultParts {
  readonly id: string
  readonly text: string
  /** Images and files, which such a message cannot hold. */
  readonly others: readonly ContentPart[]
}

function toToolResult(block: ContentBlock): ToolResultParts {
  const { tool_use_id: id, content, is_error: isError } = block
  const blocks = isJsonArray(content) ? content.filter(isContentBlock) : []
  const parts = blocks.flatMap((inner) => toContentParts(inner) ?? [unknownPart(inner)])
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  const others = parts.filter(({ text }) => typeof text !== 'string')
  const output = typeof content === 'string' ? content : texts.join('\n')
  const text = output === '' ? emptyText(others.length) : output
  // The API has no error field, so a text prefix marks errors.
  return { id: String(id), text: isError === true ? `Error: ${text}` : text, others }
}

/** Creates user message parts for the images and files of results. */
function toAttachments(results: readonly ToolResultParts[]): readonly ContentPart[] {
  return results.flatMap(({ id, others }) =>
    others.length === 0 ? [] : [textPart(`From the result of tool call ${id}:`), ...others],
  )
}

function emptyText(others: number): string {
  return others === 0 ? '(no output)' : '(see the attachments that follow)'
}

function unknownPart(block: ContentBlock): ContentPart {
  return textPart(JSON.stringify(block))
}

interface ContentPart extends JsonObject {
  readonly type: string
}

/** Converts a block to content parts. Returns undefined for an unsupported block. */
function toContentParts(block: ContentBlock): readonly ContentPart[] | undefined {
  return Object.hasOwn(writers, block.type) ? writers[block.type]?.(block) : undefined
}

/** Creates message content: one text if all parts are text, because many servers accept nothing else. */
function toContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.map(({ text }) => text)
  if (!texts.every((text) => typeof text === 'string')) return parts
  return texts.join('\n\n')
}

function textPart(text: string): ContentPart {
  return { type: 'text', text }
}

type Writer = (block: ContentBlock) => readonly ContentPart[] | undefined

function toDocument({ source, title }: ContentBlock): readonly ContentPart[] | undefined {
  if (!isJsonObject(source)) return undefined
  const heading = typeof title === 'string' && title !== '' ? [textPart(title)] : []
  if (source['type'] === 'text') return [...heading, textPart(String(source['data'] ?? ''))]
  if (source['type'] === 'content') {
    const inner = source['content']
    if (typeof inner === 'string') return [...heading, textPart(inner)]
    return [...heading, ...listOf(inner).flatMap((block) => toContentParts(block) ?? [])]
  }
  const data = urlOf(source)
  if (data === undefined) return toFilePart(source)
  const filename = typeof title === 'string' && title !== '' ? title : 'document.pdf'
  return [{ type: 'file', file: { filename, file_data: data } }]
}

function toFilePart(source: JsonValue | undefined): readonly ContentPart[] | undefined {
  const id = isJsonObject(source) ? source['file_id'] : undefined
  return typeof id === 'string' ? [{ type: 'file', file: { file_id: id } }] : undefined
}

function urlOf(source: JsonValue | undefined): string | undefined {
  if (!isJsonObject(source)) return undefined
  const { url, media_type: mediaType, data } = source
  if (typeof url === 'string') return url
  return typeof data === 'string' ? `data:${String(mediaType)};base64,${data}` : undefined
}

function listOf(value: JsonValue | undefined): readonly ContentBlock[] {
  return isJsonArray(value) ? value.filter(isContentBlock) : []
}
