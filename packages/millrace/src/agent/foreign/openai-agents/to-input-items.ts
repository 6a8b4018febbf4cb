import { type ContentBlock, isCall, isResult, type Message } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, toText } from '../../../json/index.ts'
import { fromResultBlock } from '../../../tools/index.ts'
import type { RememberingInput } from '../foreign-loop.ts'
import type { OpenAiItem, OpenAiUserPart } from './input-item.ts'

/** The conversation for the next call of the loop. */
interface Conversation {
  readonly items: OpenAiItem[]
  /** The memory that stands for these items; a message that is converted with each start is its index. */
  readonly memory: readonly JsonObject[]
}

interface Known {
  /** The calls whose results are in items of the memory. */
  readonly results: ReadonlySet<unknown>
  readonly names: ReadonlyMap<unknown, string>
}

/** Restores the conversation in the form of the OpenAI Agents SDK. */
export function toConversation({ messages, memory, remembered }: RememberingInput): Conversation {
  const known = memory.filter(isJsonObject).filter((item) => !('state' in item))
  const added = messages.slice(remembered).map((_, index) => ({ message: remembered + index }))
  const items: readonly JsonObject[] = [...known, ...added]
  const results = known.flatMap(({ type, callId }) =>
    type === 'function_call_result' ? [callId] : [],
  )
  const calls = messages.flatMap(({ content }) => content).filter(isCall)
  const facts = {
    results: new Set(results),
    names: new Map(calls.map(({ id, name }) => [id, String(name)] as const)),
  }
  return {
    memory: items,
    items: items.flatMap((item): OpenAiItem[] => {
      const { message: index } = item
      if (typeof index !== 'number') return isItem(item) ? [item] : []
      const message = messages[index]
      return message === undefined ? [] : toItems(message, facts)
    }),
  }
}

function isItem(item: unknown): item is OpenAiItem {
  return (
    isJsonObject(item) && (typeof item['type'] === 'string' || typeof item['role'] === 'string')
  )
}

function toItems({ role, content }: Message, known: Known): OpenAiItem[] {
  if (role === 'assistant') return content.flatMap(toAnswer)
  const results = content.filter(
    (block) => isResult(block) && !known.results.has(block['tool_use_id']),
  )
  const said = content.flatMap(toUserPart)
  return [
    ...results.map((block) => toResult(block, known)),
    ...(said.length > 0 ? [{ role, content: said }] : []),
  ]
}

function toAnswer(block: ContentBlock): OpenAiItem[] {
  const { type, text, id, name, input } = block
  if (type === 'text')
    return [
      {
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: String(text) }],
      },
    ]
  // Reasoning is valid only with the ids that the provider gave it.
  if (!isCall(block)) return []
  const call = { callId: String(id), name: String(name) }
  return [{ type: 'function_call', ...call, arguments: toText(input ?? {}) }]
}

function toResult(block: ContentBlock, { names }: Known): OpenAiItem {
  const callId = String(block['tool_use_id'])
  const { text } = fromResultBlock(block)
  return {
    type: 'function_call_result',
    callId,
    name: names.get(callId) ?? '',
    status: 'completed',
    output: { type: 'text', text },
  }
}

function toUserPart({ type, text, source, title }: ContentBlock): OpenAiUserPart[] {
  if (type === 'text') return [{ type: 'input_text', text: String(text) }]
  if (!isJsonObject(source)) return []
  const { data, url, media_type: mediaType = 'application/pdf' } = source
  if (source['type'] === 'text') return [{ type: 'input_text', text: toText(data) }]
  const inline = typeof data === 'string' ? `data:${toText(mediaType)};base64,${data}` : undefined
  const address = inline ?? (typeof url === 'string' ? url : undefined)
  if (address === undefined) return []
  if (type === 'image') return [{ type: 'input_image', image: address }]
  const filename = typeof title === 'string' ? { filename: title } : {}
  return [{ type: 'input_file', file: inline ?? { url: address }, ...filename }]
}
