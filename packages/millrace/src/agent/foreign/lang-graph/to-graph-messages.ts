import { type ContentBlock, isCall, isResult, type Message } from '../../../events/index.ts'
import { isJsonObject, toText } from '../../../json/index.ts'
import { fromResultBlock } from '../../../tools/index.ts'
import { INTERRUPT } from './interrupts.ts'
import type { GraphMessage, GraphPart } from './graph-message.ts'

/** Converts the conversation of a session to messages of LangChain, whose ids stay the same. */
export function toGraphMessages(
  session: string,
  messages: readonly Message[],
): readonly GraphMessage[] {
  const calls = messages.flatMap(({ content }) => content).filter(isCall)
  const names = new Map<unknown, string>(calls.map(({ id, name }) => [id, toText(name)]))
  return messages.flatMap(({ role, content }, index): GraphMessage[] => {
    const id = `${session}/${index}`
    if (role === 'assistant') return toAnswer(id, content)
    const results = content.filter(
      (block) => isResult(block) && names.get(block['tool_use_id']) !== INTERRUPT,
    )
    const said = content.flatMap(toUserPart)
    return [
      ...results.map((block) => toToolMessage(id, block, names)),
      ...(said.length > 0 ? [{ id, role, content: onlyText(said) ?? said }] : []),
    ]
  })
}

function toAnswer(id: string, content: readonly ContentBlock[]): GraphMessage[] {
  const parts = content.flatMap(toAnswerPart)
  const calls = content
    .filter((block) => isCall(block) && block['name'] !== INTERRUPT)
    .map(({ id: callId, name, input }) => ({
      id: toText(callId),
      name: toText(name),
      args: isJsonObject(input) ? input : {},
      type: 'tool_call' as const,
    }))
  if (parts.length + calls.length === 0) return []
  const made = calls.length > 0 ? { tool_calls: calls } : {}
  return [{ id, role: 'assistant', content: onlyText(parts) ?? parts, ...made }]
}

function toAnswerPart({ type, text, thinking, signature }: ContentBlock): GraphPart[] {
  if (type === 'text') return [{ type, text: toText(text) }]
  // Reasoning without a signature is of another provider, which does not accept it back.
  if (type !== 'thinking' || typeof signature !== 'string') return []
  return [{ type, thinking: toText(thinking), signature }]
}

function toToolMessage(
  id: string,
  block: ContentBlock,
  names: ReadonlyMap<unknown, string>,
): GraphMessage {
  const callId = toText(block['tool_use_id'])
  const { text, isError } = fromResultBlock(block)
  return {
    id: `${id}/${callId}`,
    role: 'tool',
    content: text,
    tool_call_id: callId,
    name: names.get(callId) ?? '',
    status: isError ? 'error' : 'success',
  }
}

function toUserPart({ type, text, source }: ContentBlock): GraphPart[] {
  if (type === 'text') return [{ type, text: toText(text) }]
  if (!isJsonObject(source)) return []
  const { data, url, media_type: mediaType = 'application/pdf' } = source
  if (source['type'] === 'text') return [{ type: 'text', text: toText(data) }]
  const mime = toText(mediaType)
  if (type === 'image') {
    const address = typeof data === 'string' ? `data:${mime};base64,${data}` : url
    return typeof address === 'string' ? [{ type: 'image_url', image_url: { url: address } }] : []
  }
  if (typeof data === 'string')
    return [{ type: 'file', source_type: 'base64', mime_type: mime, data }]
  return typeof url === 'string' ? [{ type: 'file', source_type: 'url', mime_type: mime, url }] : []
}

/** Returns the text of a message that has nothing else. */
function onlyText(parts: readonly GraphPart[]): string | undefined {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : undefined
}
