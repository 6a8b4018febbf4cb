import type { ContentBlock, Message, ModelRequest } from '../../../events/index.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { toContent, toContentParts } from './content-parts.ts'
import { ownFieldsOf } from '../reader/own-fields.ts'
import { toAttachments, toToolResult } from './tool-results.ts'

/** Thinking that is sent back to the model, each in its original field. */
export type ThinkingReturn = 'with-calls' | 'always' | 'never'

/** Options of {@link toChatMessages}. */
export interface ChatMessagesOptions {
  readonly thinking: ThinkingReturn
}

/** The messages of a request, and the block types that could not be converted. */
export interface ChatMessages {
  readonly messages: readonly JsonObject[]
  readonly omitted: ReadonlySet<string>
}

/** Blocks that are omitted without a notice: another provider's thinking has no meaning here. */
const droppedTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

/** Converts the system prompt and the messages of a request to chat completions messages. */
export function toChatMessages(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  { thinking }: ChatMessagesOptions,
): ChatMessages {
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
