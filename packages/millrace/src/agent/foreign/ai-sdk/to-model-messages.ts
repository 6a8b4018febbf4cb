import { type ContentBlock, isCall, isResult, type Message } from '../../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import { fromResultBlock } from '../../../tools/index.ts'
import type { RememberingInput } from '../foreign-loop.ts'
import type { LoopAnswer } from '../loop-event.ts'
import type { AiSdkMessage } from './model-message.ts'

/** An item of the memory: a message of the AI SDK, or the index of a message that is converted with each start. */
type Item = JsonObject

/** The conversation for the next call of the loop. */
interface Conversation {
  readonly messages: AiSdkMessage[]
  /** The memory that stands for these messages. */
  readonly items: readonly Item[]
}

type PartOf<Role extends AiSdkMessage['role']> = Extract<
  AiSdkMessage,
  { role: Role }
>['content'][number]

/** Restores the conversation in the form of the AI SDK, with the answers for which the loop paused. */
export function toConversation(input: RememberingInput): Conversation {
  const { messages, memory, remembered, answers } = input
  const known = memory.filter(isJsonObject).map((item) => withEdits(item, answers))
  const added = messages.slice(remembered).map((_, index) => ({ message: remembered + index }))
  const decided = toApprovals(known, answers)
  const items: readonly Item[] = [...known, ...added, ...decided]
  const partsIn = (name: string): ReadonlySet<unknown> =>
    new Set(
      items.flatMap(contentOf).flatMap((part) => (part['type'] === name ? part['toolCallId'] : [])),
    )
  const results = partsIn('tool-result')
  const names = new Map(
    messages
      .flatMap(({ content }) => content)
      .flatMap((block) => (isCall(block) ? [[block['id'], String(block['name'])] as const] : [])),
  )
  return {
    items,
    messages: items.flatMap((item): AiSdkMessage[] => {
      const { message: index } = item
      if (typeof index !== 'number') return isMessage(item) ? [item] : []
      const message = messages[index]
      return message === undefined ? [] : toMessages(message, { results, names })
    }),
  }
}

function isMessage(item: unknown): item is AiSdkMessage {
  return isJsonObject(item) && typeof item['role'] === 'string' && 'content' in item
}

function contentOf({ content }: Item): readonly JsonObject[] {
  return isJsonArray(content) ? content.filter(isJsonObject) : []
}

/** Replaces the arguments of calls that a user has edited, which the AI SDK is about to run. */
function withEdits(item: Item, answers: readonly LoopAnswer[]): Item {
  const edits = answers.filter(({ isEdited }) => isEdited)
  if (edits.length === 0 || item['role'] !== 'assistant' || !isJsonArray(item['content']))
    return item
  const content = item['content'].map((part): JsonValue => {
    if (!isJsonObject(part) || part['type'] !== 'tool-call') return part
    const edit = edits.find(({ callId }) => callId === part['toolCallId'])
    return edit === undefined ? part : { ...part, input: edit.input }
  })
  return { ...item, content }
}

/** Answers the requests for approval that the AI SDK has made. */
function toApprovals(items: readonly Item[], answers: readonly LoopAnswer[]): readonly Item[] {
  const requests = items.flatMap(contentOf).filter(({ type }) => type === 'tool-approval-request')
  const content = answers.flatMap(({ callId, kind, reason }): JsonObject[] => {
    const approvalId = requests.findLast(({ toolCallId }) => toolCallId === callId)?.['approvalId']
    if (kind === 'result' || approvalId === undefined) return []
    const why = reason === undefined ? {} : { reason }
    return [{ type: 'tool-approval-response', approvalId, approved: kind === 'approved', ...why }]
  })
  return content.length === 0 ? [] : [{ role: 'tool', content }]
}

interface Known {
  /** The calls whose results are in other messages. */
  readonly results: ReadonlySet<unknown>
  readonly names: ReadonlyMap<unknown, string>
}

function toMessages({ role, content }: Message, known: Known): AiSdkMessage[] {
  if (role === 'assistant') {
    const parts = content.flatMap(toAssistantPart)
    return parts.length === 0 ? [] : [{ role, content: parts }]
  }
  const results = content.filter(
    (block) => isResult(block) && !known.results.has(block['tool_use_id']),
  )
  const said = content.flatMap(toUserPart)
  return [
    ...(results.length > 0
      ? [{ role: 'tool' as const, content: results.map((block) => toResultPart(block, known)) }]
      : []),
    ...(said.length > 0 ? [{ role, content: said }] : []),
  ]
}

function toAssistantPart(block: ContentBlock): PartOf<'assistant'>[] {
  const { type, text, thinking, signature, id, name, input } = block
  if (type === 'text') return [{ type, text: String(text) }]
  if (type === 'thinking') {
    const kept = typeof signature === 'string' ? { anthropic: { signature } } : undefined
    return [{ type: 'reasoning', text: String(thinking), ...(kept && { providerOptions: kept }) }]
  }
  if (!isCall(block)) return []
  const call = { toolCallId: String(id), toolName: String(name) }
  return [{ type: 'tool-call', ...call, input: input ?? {} }]
}

function toResultPart(block: ContentBlock, { names }: Known): PartOf<'tool'> {
  const toolCallId = String(block['tool_use_id'])
  const { text: value, isError } = fromResultBlock(block)
  const output = { type: isError ? ('error-text' as const) : ('text' as const), value }
  return { type: 'tool-result', toolCallId, toolName: names.get(toolCallId) ?? '', output }
}

function toUserPart({ type, text, source, title }: ContentBlock): PartOf<'user'>[] {
  if (type === 'text') return [{ type, text: String(text) }]
  if (!isJsonObject(source)) return []
  const {
    data,
    url,
    media_type: mediaType = type === 'image' ? 'image/*' : 'application/pdf',
  } = source
  const content = typeof data === 'string' ? data : url
  if (typeof content !== 'string' || typeof mediaType !== 'string') return []
  if (source['type'] === 'text') return [{ type: 'text', text: content }]
  const filename = typeof title === 'string' ? { filename: title } : {}
  return [{ type: 'file', data: content, mediaType, ...filename }]
}
