import type { Attributes } from '@opentelemetry/api'
import {
  type ContentBlock,
  isContentBlock,
  type Message,
  type RunInfo,
  type SpanInfos,
  type SpanOutcome,
  type WorkKind,
} from '../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { redactText } from '../outbound/index.ts'

const CUT = '…'

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

/** Span attributes with content; recorded only with `captureContent`. */
export type ContentAttributes = ReturnType<typeof createContentAttributes>

/** Content attributes that record nothing. */
export const noContent: ContentAttributes = {
  ofRun: () => ({}),
  ofStart: () => ({}),
  ofEnd: () => ({}),
}

/** Creates content attributes that record prompts, answers, arguments and results, each up to a limit. */
export function createContentAttributes(maxChars: number) {
  const budget = () => createContentBudget(maxChars)
  const starts: { readonly [Kind in WorkKind]: (info: SpanInfos[Kind]) => Attributes } = {
    step: () => ({}),
    model: ({ request: { messages, system } }) => ({
      'gen_ai.input.messages': JSON.stringify(writeMessages(messages, budget())),
      ...(typeof system === 'string' && {
        'gen_ai.system_instructions': JSON.stringify([textPart(budget().take(system))]),
      }),
    }),
    tool: ({ inputText }) =>
      inputText === undefined ? {} : { 'gen_ai.tool.call.arguments': budget().take(inputText) },
  }
  return {
    ofRun: ({ prompt }: RunInfo): Attributes => {
      if (prompt === undefined) return {}
      const content = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt
      const messages = writeMessages([{ role: 'user', content }], budget())
      return { 'gen_ai.input.messages': JSON.stringify(messages) }
    },
    ofStart: <Kind extends WorkKind>(kind: Kind, info: SpanInfos[Kind]): Attributes =>
      starts[kind](info),
    ofEnd: (kind: WorkKind | 'run', { text, content, stopReason }: SpanOutcome): Attributes => {
      if (kind === 'tool') return text === undefined ? {} : resultOf(budget().take(text))
      const parts = content === undefined ? [] : writeParts(content, budget())
      if (text !== undefined) parts.push(textPart(budget().take(text)))
      return parts.length === 0 ? {} : answerOf(parts, stopReason)
    },
  }
}

function textPart(content: string) {
  return { type: 'text', content }
}

function resultOf(text: string): Attributes {
  return { 'gen_ai.tool.call.result': text }
}

function answerOf(parts: readonly object[], stopReason: string | null | undefined): Attributes {
  const message = { role: 'assistant', parts, ...(stopReason && { finish_reason: stopReason }) }
  return { 'gen_ai.output.messages': JSON.stringify([message]) }
}

type PartWriter = (block: ContentBlock, budget: ContentBudget) => JsonObject

/** Writes the newest messages that fit the budget, oldest first. */
function writeMessages(messages: readonly Message[], budget: ContentBudget): JsonObject[] {
  const written: JsonObject[] = []
  for (let index = messages.length - 1; index >= 0 && !budget.isSpent; index--) {
    const message = messages[index]
    if (message !== undefined) written.push(writeMessage(message, budget))
  }
  return written.reverse()
}

function writeParts(content: readonly ContentBlock[], budget: ContentBudget): JsonObject[] {
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

/** A remaining length for recorded content, in UTF-16 units. */
type ContentBudget = ReturnType<typeof createContentBudget>

/** Creates a budget that bounds the length of an attribute. */
function createContentBudget(maxChars: number) {
  let left = maxChars
  return {
    get isSpent() {
      return left <= 0
    },
    /** Returns a text with secrets masked, truncated to the remaining length. */
    take(text: string): string {
      const room = Math.max(0, left)
      // Reads twice the length, so that a secret at the end is still recognised.
      const safe = room === 0 ? '' : redactText(text.slice(0, room * 2))
      const taken = text.length <= left ? safe : safe.slice(0, room) + CUT
      left -= text.length
      return taken
    },
  }
}
