import { isCall, isResult, type ContentBlock, type Message } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, toText } from '../../../json/index.ts'
import { fromResultBlock } from '../../../tools/index.ts'

/** The name of the call that stands for an interrupt without a call. */
export const INTERRUPT = 'ag_ui_interrupt'

/** Converts the conversation of a session to messages of AG-UI, whose ids stay the same. */
export function toAgUiMessages(
  session: string,
  messages: readonly Message[],
): readonly JsonObject[] {
  const calls = messages.flatMap(({ content }) => content).filter(isCall)
  const hidden = new Set(calls.filter(({ name }) => name === INTERRUPT).map(({ id }) => id))
  return messages.flatMap(({ role, content }, index): JsonObject[] => {
    const id = `${session}/${index}`
    if (role === 'assistant') return toAnswer(id, content, hidden)
    const results = content.filter((block) => isResult(block) && !hidden.has(block['tool_use_id']))
    const said = content.flatMap(toUserPart)
    return [
      ...results.map((block) => toToolMessage(id, block)),
      ...(said.length > 0 ? [{ id, role, content: onlyText(said) ?? said }] : []),
    ]
  })
}

function toAnswer(
  id: string,
  content: readonly ContentBlock[],
  hidden: ReadonlySet<unknown>,
): JsonObject[] {
  const text = content.flatMap((block) => (block.type === 'text' ? [String(block['text'])] : []))
  const toolCalls = content
    .filter((block) => isCall(block) && !hidden.has(block['id']))
    .map(({ id: callId, name, input }) => ({
      id: toText(callId),
      type: 'function',
      function: { name: toText(name), arguments: toText(input ?? {}) },
    }))
  if (text.length + toolCalls.length === 0) return []
  const spoken = text.length > 0 ? { content: text.join('') } : {}
  return [{ id, role: 'assistant', ...spoken, ...(toolCalls.length > 0 && { toolCalls }) }]
}

function toToolMessage(id: string, block: ContentBlock): JsonObject {
  const toolCallId = toText(block['tool_use_id'])
  const { text: content, isError } = fromResultBlock(block)
  const error = isError ? { error: content } : {}
  return { id: `${id}/${toolCallId}`, role: 'tool', toolCallId, content, ...error }
}

function toUserPart({ type, text, source }: ContentBlock): JsonObject[] {
  if (type === 'text') return [{ type, text: toText(text) }]
  if (!isJsonObject(source) || (type !== 'image' && type !== 'document')) return []
  const { data, url, media_type: mimeType } = source
  const kind = mimeType === undefined ? {} : { mimeType }
  if (typeof data === 'string') return [{ type, source: { type: 'data', value: data, ...kind } }]
  return typeof url === 'string' ? [{ type, source: { type: 'url', value: url, ...kind } }] : []
}

/** Returns the text of a prompt that has nothing else; older servers accept only that. */
function onlyText(parts: readonly JsonObject[]): string | undefined {
  return parts.every(({ type }) => type === 'text')
    ? parts.map(({ text }) => toText(text)).join('\n')
    : undefined
}
