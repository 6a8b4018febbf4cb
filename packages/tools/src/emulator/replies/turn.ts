import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { MessagesRequest } from '../request/messages-request.ts'
import { splitAtNewestMessage, type RequestMessage } from '../request/request-content.ts'
import type { ToolOutcome, Turn } from './scenario.ts'

/** Returns the turn that a request continues. */
export function toTurn(
  { messages, tools }: Pick<MessagesRequest, 'messages' | 'tools'>,
  attempt = 0,
): Omit<Turn, 'args'> {
  const { blocks, after: since } = splitAtNewestMessage(messages) ?? { blocks: [], after: messages }
  const prompt = blockText(blocks.find(({ type }) => type === 'text') ?? '')
  const step = since.filter(({ role }) => role === 'assistant').length
  return { prompt: prompt.trim(), step, attempt, results: toOutcomes(since), tools, messages }
}

function toOutcomes(messages: readonly RequestMessage[]): ToolOutcome[] {
  const blocks = messages.flatMap(({ content }) => content)
  const results = new Map(
    blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => [block['tool_use_id'], block]),
  )
  return blocks
    .filter(({ type }) => type === 'tool_use')
    .flatMap((call) => {
      const result = results.get(call['id'])
      return result === undefined ? [] : [toOutcome(call, result)]
    })
}

function toOutcome(call: JsonObject, result: JsonObject): ToolOutcome {
  return {
    id: String(call['id']),
    name: String(call['name']),
    input: call['input'] ?? {},
    text: textOf(result['content']),
    images: imagesOf(result['content']),
    isError: result['is_error'] === true,
  }
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (!isJsonArray(content)) return ''
  return content
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n')
}

function imagesOf(content: JsonValue | undefined): number {
  if (!isJsonArray(content)) return 0
  return content.filter((block) => isJsonObject(block) && block['type'] === 'image').length
}

function blockText(block: JsonValue): string {
  const text = isJsonObject(block) ? block['text'] : ''
  return typeof text === 'string' ? text : ''
}
