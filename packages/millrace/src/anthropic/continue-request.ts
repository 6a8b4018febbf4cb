import {
  type ContentBlock,
  isProviderEnd,
  type Message,
  type MessageEnd,
  type ModelRequest,
} from '../events/index.ts'
import { keepSendable } from './keep-sendable.ts'
import { trimLast } from './prefill.ts'
import { endOfReason } from './stop-reasons.ts'

/** How a model is asked to go on. */
export interface ContinueOptions {
  /** What it is told; by default it is reminded of its last words. */
  readonly prompt?: string
  /**
   * Lets it go on from its own words instead of being told. Only models up to Claude 4.5 take that, and only
   * without tools; where it cannot be done the model is told.
   */
  readonly prefill?: boolean
}

/** So much of the end of an answer is quoted, in UTF-16 units. */
const QUOTED_CHARS = 200

const NOT_RUN = 'The tool was not run, because the message that calls it was cut short.'

/**
 * The request that goes on after a message that did not come to its end, with all of it that may be sent back:
 * undefined after one that did, the same request where nothing came. A model that is told to go on may rephrase
 * at the seam.
 */
export function continueRequest(
  request: ModelRequest,
  end: MessageEnd,
  { prompt, prefill = false }: ContinueOptions = {},
): ModelRequest | undefined {
  if (isProviderEnd(end.outcome) && end.retry === 'none') return undefined
  if (end.content.length === 0) return request
  const { before, said } = toAnswer(request.messages, end.content)
  if (isPaused(end)) return withMessages(request, [...before, toMessage('assistant', said)])
  const kept = keepSendable(said, { keepsPending: end.stopReason === 'tool_use' })
  const last = kept.at(-1)
  if (last === undefined) return withMessages(request, before)
  const results = kept.filter(({ type }) => type === 'tool_use').map(toErrorResult)
  if (prefill && last.type === 'text' && results.length === 0 && !hasTools(request)) {
    return withMessages(request, [...before, toMessage('assistant', trimLast(kept))])
  }
  const told = { type: 'text', text: prompt ?? toPrompt(last) }
  return withMessages(request, [
    ...before,
    toMessage('assistant', kept),
    toMessage('user', [...results, told]),
  ])
}

/** An answer may have begun in the messages of the request, if the provider paused in it. */
function toAnswer(messages: readonly Message[], content: readonly ContentBlock[]) {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return { before: messages, said: content }
  return { before: messages.slice(0, -1), said: [...last.content, ...content] }
}

/** What the provider paused goes back unchanged; that also holds if only `message_stop` was lost. */
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

/** A member of a toolset is answered under the name of its set. */
function toErrorResult({ id = '', toolset_name }: ContentBlock): ContentBlock {
  const toolset = toolset_name === undefined ? {} : { toolset_name }
  return { type: 'tool_result', tool_use_id: id, ...toolset, is_error: true, content: NOT_RUN }
}

function toPrompt({ type, text }: ContentBlock): string {
  const tail = type === 'text' ? String(text).slice(-QUOTED_CHARS) : ''
  const said = tail.replace(/^[\udc00-\udfff]/, '')
  const words = said === '' ? '' : ` It ended with ${JSON.stringify(said)}.`
  return `Your answer was cut off.${words} Go on exactly where it stopped, without repeating it.`
}
