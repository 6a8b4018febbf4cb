import { type ContentBlock, isContentBlock, type Message } from '../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import type { ContentBudget } from './content-budget.ts'

type PartWriter = (block: ContentBlock, budget: ContentBudget) => JsonObject

/** Writers by block type, in the message format of the GenAI conventions. */
const writers: Readonly<Record<string, PartWriter>> = {
  text: ({ text }, budget) => ({ type: 'text', content: budget.take(textOf(text)) }),
  thinking: ({ thinking }, budget) => ({
    type: 'reasoning',
    content: budget.take(textOf(thinking)),
  }),
  tool_use: ({ id, name, input }, budget) => ({
    type: 'tool_call',
    id: textOf(id),
    name: textOf(name),
    arguments: bounded(input, budget),
  }),
  tool_result: (block, budget) => ({
    type: 'tool_call_response',
    id: textOf(block['tool_use_id']),
    response: writeResult(block['content'], budget),
  }),
  image: ({ source }) => writeMedia('image', source),
  document: ({ source }) => writeMedia('document', source),
}

/** Writes the newest messages that fit the budget, oldest first. */
export function writeMessages(messages: readonly Message[], budget: ContentBudget): JsonObject[] {
  const written: JsonObject[] = []
  for (let index = messages.length - 1; index >= 0 && !budget.isSpent; index--) {
    const message = messages[index]
    if (message !== undefined) written.push(writeMessage(message, budget))
  }
  return written.reverse()
}

/** Writes the blocks of a message as parts. */
export function writeParts(content: readonly ContentBlock[], budget: ContentBudget): JsonObject[] {
  return content.map((block) => {
    const write = Object.hasOwn(writers, block.type) ? writers[block.type] : undefined
    return write?.(block, budget) ?? { type: block.type }
  })
}

function writeMessage({ role, content }: Message, budget: ContentBudget): JsonObject {
  const isAnswer = content.length > 0 && content.every(({ type }) => type === 'tool_result')
  return { role: isAnswer ? 'tool' : role, parts: writeParts(content, budget) }
}

function writeResult(content: JsonValue | undefined, budget: ContentBudget): JsonValue {
  if (!isJsonArray(content)) return budget.take(textOf(content))
  return writeParts(content.filter(isContentBlock), budget)
}

/** Describes media without their data. */
function writeMedia(modality: string, source: JsonValue | undefined): JsonObject {
  if (!isJsonObject(source)) return { type: modality }
  const { url, media_type: mediaType } = source
  return {
    type: typeof url === 'string' ? 'uri' : 'blob',
    modality,
    ...(typeof url === 'string' && { uri: url }),
    ...(typeof mediaType === 'string' && { mime_type: mediaType }),
  }
}

/** Truncates a long value as text, so that the surrounding JSON stays valid. */
function bounded(value: JsonValue | undefined, budget: ContentBudget): JsonValue {
  const text = JSON.stringify(value ?? null)
  const taken = budget.take(text)
  return taken === text ? (value ?? null) : taken
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
