import {
  type MessageEnd,
  type MessageRetry,
  type ModelFailure,
  noUsage,
  type ProviderEnd,
  retryOfCut,
  type Usage,
} from '../../../events/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import type { MessageCut } from '../../stream/index.ts'
import type { ChatCalls } from './chat-calls.ts'
import type { MessageBlocks } from './message-blocks.ts'

const ordinary: FinishTraits = { outcome: 'finished', retry: 'none', runsCalls: true }

const truncated: FinishTraits = { outcome: 'truncated', retry: 'continue', runsCalls: false }

const refused: FinishTraits = { outcome: 'refused', retry: 'none', runsCalls: false }

const failed: FinishTraits = { outcome: 'failed', retry: 'request', runsCalls: false }

const unknown: FinishTraits = { outcome: 'finished', retry: 'none', runsCalls: false }

/** Reasons of OpenAI first, then those of other servers. */
const reasons: ReadonlyMap<string, FinishTraits> = new Map([
  ['stop', ordinary],
  ['tool_calls', ordinary],
  ['function_call', ordinary],
  ['length', truncated],
  ['content_filter', refused],
  ['end_turn', ordinary],
  ['eos', ordinary],
  ['eos_token', ordinary],
  ['stop_sequence', ordinary],
  ['tool_call', ordinary],
  ['tool_use', ordinary],
  ['max_tokens', truncated],
  ['model_length', truncated],
  ['recitation', refused],
  ['refusal', refused],
  ['safety', refused],
  ['sensitive', refused],
  ['abort', failed],
  ['cancelled', failed],
  ['error', failed],
  ['insufficient_system_resource', failed],
  ['network_error', failed],
  ['timeout', failed],
])

/** The state of a message while its chunks are read. */
export interface ChatState {
  readonly blocks: MessageBlocks
  readonly calls: ChatCalls
  started: boolean
  ended: boolean
  hasDelta: boolean
  finishReason: string | null
  isRefused: boolean
  usage: Usage
  /** Other fields of the message, by the server's names. */
  details: JsonObject
  /** Details of reasoning outside a thinking block, until the next content starts. */
  readonly pendingDetails: JsonObject[]
  /** Notices that were added once and would repeat with every chunk. */
  readonly sentNotices: Set<string>
}

/** Creates the state of a message before its first chunk. */
export function createChatState(parts: Pick<ChatState, 'blocks' | 'calls'>): ChatState {
  return {
    ...parts,
    started: false,
    ended: false,
    hasDelta: false,
    finishReason: null,
    isRefused: false,
    usage: noUsage,
    details: {},
    pendingDetails: [],
    sentNotices: new Set(),
  }
}

/** Adds the fields of an object that are not in `known`. Null is ignored; a later value replaces an earlier one. */
export function mergeDetails(
  state: ChatState,
  later: JsonObject,
  known: ReadonlySet<string>,
): void {
  for (const field in later) {
    const value = later[field]
    if (known.has(field) || value == null || state.details[field] === value) continue
    // Built from entries, because an assignment to `__proto__` would change the prototype.
    state.details = { ...state.details, ...Object.fromEntries([[field, value]]) }
  }
}

/** Ends a message by the server's finish reason. */
export function finishMessage(state: ChatState): void {
  const { finishReason, calls, blocks } = state
  const { outcome, retry, runsCalls } = traitsOfFinish(finishReason)
  const isOrdinary = runsCalls && finishReason !== null
  calls.finish(!isOrdinary)
  flushPendingDetails(state)
  blocks.endProse()
  if (outcome === 'failed') {
    return cutMessage(state, { outcome, failure: toFinishFailure(finishReason) })
  }
  if (state.isRefused) return endMessage(state, { outcome: 'refused', retry: 'none' }, 'refusal')
  endMessage(state, { outcome, retry }, finishReason)
}

/** Ends an interrupted message. Keeps open text; drops open calls and thinking. */
export function cutMessage(state: ChatState, { outcome, failure }: MessageCut): void {
  const retry = retryOfCut(outcome, { isBegun: state.blocks.isBegun, failure })
  const end = failure === undefined ? { outcome, retry } : { outcome, retry, failure }
  endMessage(state, end, state.finishReason)
}

/** Emits details without an open thinking block as a separate block. */
export function flushPendingDetails({ blocks, pendingDetails }: ChatState): void {
  if (pendingDetails.length === 0) return
  blocks.endProse()
  blocks.openProse('thinking').details = pendingDetails.splice(0)
  blocks.endProse()
}

/** Corrects the stop reason of a message with calls: several servers send `stop`, or none. */
export function toCallEnd(end: MessageEnd): MessageEnd {
  const { outcome, stopReason: reason, details } = end
  const isOrdinary = outcome === 'finished' && traitsOfFinish(reason).runsCalls
  if (!isOrdinary || reason === 'tool_calls' || reason === 'function_call') return end
  const original = reason === null ? {} : { details: { ...details, finish_reason: reason } }
  return { ...end, stopReason: 'tool_calls', ...original }
}

function endMessage(
  state: ChatState,
  end: Pick<MessageEnd, 'outcome' | 'retry' | 'failure'>,
  stopReason: string | null,
): void {
  const { blocks, calls, usage, details } = state
  const { content, cut } = blocks.close()
  const event: MessageEnd = {
    type: 'message_end',
    ...end,
    stopReason,
    usage,
    content,
    ...(cut.length > 0 && { cut }),
    ...(Object.keys(details).length > 0 && { details }),
  }
  state.ended = true
  blocks.emit(calls.hasEnded ? toCallEnd(event) : event)
}

function toFinishFailure(reason: string | null): ModelFailure {
  const message = `The provider ended the message with the reason ${JSON.stringify(reason)}.`
  return { type: 'provider_error', message, retriable: true }
}

interface FinishTraits {
  /** `failed` for an error of the provider. */
  readonly outcome: ProviderEnd | 'failed'
  readonly retry: MessageRetry
  readonly runsCalls: boolean
}

/** Returns the traits of a reason. An unknown one ends the message without running calls; a missing one counts as ordinary. */
function traitsOfFinish(reason: string | null): FinishTraits {
  if (reason === null) return ordinary
  return reasons.get(reason.toLowerCase()) ?? unknown
}
