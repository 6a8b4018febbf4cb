import {
  type ContentBlock,
  isProviderEnd,
  type Message,
  type MessageEnd,
  type ModelRequest,
} from '../../../events/index.ts'
import { isJsonObject, type JsonValue } from '../../../json/index.ts'
import { trimLast } from './message-params.ts'
import { endOfReason } from '../reader/message-state.ts'
import { blockTraitsOf, textOf } from '../reader/open-block.ts'

const thinkingTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])

/** Options of {@link continueRequest}. */
export interface ContinueOptions {
  /** The instruction for the model; by default a quotation of the end of its answer. */
  readonly prompt?: string
  /**
   * Prefills the answer instead of sending an instruction. Only models up to Claude 4.5 accept that, and only without
   * tools; otherwise the instruction is sent.
   */
  readonly prefill?: boolean
}

/** Number of UTF-16 units quoted from the end of an answer. */
const QUOTED_CHARS = 200
const NOT_RUN = 'The tool was not run, because the message that calls it was cut short.'

/**
 * Creates the request that continues an interrupted message and contains all of its content that may be sent. Returns
 * undefined for a complete message, and the same request for an empty one. A model with an instruction may rephrase
 * the transition.
 */
export function continueRequest(
  request: ModelRequest,
  end: MessageEnd,
  { prompt, prefill = false }: ContinueOptions = {},
): ModelRequest | undefined {
  if (isProviderEnd(end.outcome) && end.retry === 'none') return undefined
  if (end.content.length === 0) return request
  const { before, answer } = toAnswer(request.messages, end.content)
  if (isPaused(end)) return withMessages(request, [...before, toMessage('assistant', answer)])
  const kept = keepSendable(answer, { keepsPending: end.stopReason === 'tool_use' })
  const last = kept.at(-1)
  if (last === undefined) return withMessages(request, before)
  const results = kept.filter(({ type }) => type === 'tool_use').map(toErrorResult)
  if (prefill && last.type === 'text' && results.length === 0 && !hasTools(request)) {
    return withMessages(request, [...before, toMessage('assistant', trimLast(kept))])
  }
  const instruction = { type: 'text', text: prompt ?? toPrompt(last) }
  return withMessages(request, [
    ...before,
    toMessage('assistant', kept),
    toMessage('user', [...results, instruction]),
  ])
}

/** Joins the answer with its beginning in the messages of the request, if the provider paused it. */
function toAnswer(messages: readonly Message[], content: readonly ContentBlock[]) {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return { before: messages, answer: content }
  return { before: messages.slice(0, -1), answer: [...last.content, ...content] }
}

/** Checks for a paused answer, which is sent back unchanged. It also counts if only `message_stop` was lost. */
function isPaused({ stopReason, cut = [] }: MessageEnd): boolean {
  return endOfReason(stopReason).outcome === 'paused' && cut.length === 0
}

function withMessages(request: ModelRequest, messages: readonly Message[]): ModelRequest {
  return { ...request, messages }
}

function toMessage(role: Message['role'], content: readonly ContentBlock[]): Message {
  return { role, content }
}

function hasTools({ tools = [] }: ModelRequest): boolean {
  return tools.length > 0
}

/** Creates the error result of a call. A member of a toolset is answered with the name of its set. */
function toErrorResult({ id = '', toolset_name }: ContentBlock): ContentBlock {
  const toolset = toolset_name === undefined ? {} : { toolset_name }
  return { type: 'tool_result', tool_use_id: id, ...toolset, is_error: true, content: NOT_RUN }
}

function toPrompt({ type, text }: ContentBlock): string {
  const tail = type === 'text' ? String(text).slice(-QUOTED_CHARS) : ''
  const quote = tail.replace(/^[\udc00-\udfff]/, '')
  const quotation = quote === '' ? '' : ` It ended with ${JSON.stringify(quote)}.`
  return `Your answer was cut off.${quotation} Go on exactly where it stopped, without repeating it.`
}

interface KeepOptions {
  /** Whether provider calls may lack a result: the provider adds it in a later message. */
  readonly keepsPending: boolean
}

/**
 * Selects the blocks of an interrupted answer that may precede a user message. Drops blank text, thinking without a
 * signature or at the end, provider calls without a result, and all calls and results within them.
 */
function keepSendable(
  content: readonly ContentBlock[],
  { keepsPending }: KeepOptions,
): ContentBlock[] {
  const answered = new Set(content.filter(isServerToolResult).map((block) => block['tool_use_id']))
  const dropped = new Set<JsonValue | undefined>()
  const kept = content.filter((block) => {
    const { id, tool_use_id } = block
    const isPending = isServerToolCall(block) && !answered.has(id ?? null)
    const isOrphan = dropped.has(callerOf(block)) || dropped.has(tool_use_id)
    if (!isOrphan && !(isPending && !keepsPending)) return isSendable(block)
    if (id !== undefined) dropped.add(id)
    return false
  })
  while (thinkingTypes.has(kept.at(-1)?.type ?? '')) kept.pop()
  return kept
}

/** Returns the id of the code execution call that made a call. */
function callerOf({ caller }: ContentBlock): JsonValue | undefined {
  return isJsonObject(caller) ? caller['tool_id'] : undefined
}

function isSendable({ type, text, signature }: ContentBlock): boolean {
  if (type === 'text') return typeof text === 'string' && /\S/.test(text)
  return type !== 'thinking' || (typeof signature === 'string' && signature !== '')
}

interface ServerToolUse {
  readonly call: ContentBlock
  /** The result; undefined while the call is pending, for example after a pause of the provider. */
  readonly result: ContentBlock | undefined
  /** The provider's error code of a failed tool. The message itself did not fail. */
  readonly problem?: string
}

/** Finds the provider's calls and their results, which may be in a later message. */
export function findServerToolUses(messages: readonly Message[]): ServerToolUse[] {
  const blocks = messages.flatMap(({ content }) => content)
  const results = new Map(
    blocks.filter(isServerToolResult).map((block) => [block['tool_use_id'], block]),
  )
  return blocks.filter(isServerToolCall).map((call) => {
    const result = results.get(call['id'])
    const problem = result === undefined ? undefined : problemOf(result)
    return { call, result, ...(problem !== undefined && { problem }) }
  })
}

/** Checks for a call that the provider runs. */
function isServerToolCall({ type }: ContentBlock): boolean {
  return blockTraitsOf(type).kind === 'server_tool_call'
}

/** Checks for a result of a call that the provider ran. */
function isServerToolResult({ type }: ContentBlock): boolean {
  return blockTraitsOf(type).kind === 'server_tool_result'
}

/** Returns the error code of a tool. MCP results have only a flag. */
function problemOf({ is_error: isError, content }: ContentBlock): string | undefined {
  if (isError === true) return 'is_error'
  if (!isJsonObject(content) || !textOf(content['type']).endsWith('_error')) return undefined
  return textOf(content['error_code']) || 'unknown_error'
}
