import {
  type MessageEnd,
  type ModelFailure,
  noUsage,
  retryOfCut,
  type Usage,
} from '../events/index.ts'
import type { JsonObject } from '../json/index.ts'
import type { MessageCut } from '../model-stream/index.ts'
import type { ChatCalls } from './chat-calls.ts'
import { traitsOfFinish } from './finish-reasons.ts'
import type { MessageBlocks } from './message-blocks.ts'
import type { TextSink } from './text-sink.ts'

/** What a reader knows of its message so far. */
export interface ChatState {
  readonly blocks: MessageBlocks
  readonly calls: ChatCalls
  readonly text: TextSink
  started: boolean
  ended: boolean
  /** Whether the message comes in pieces. */
  hasDelta: boolean
  finishReason: string | null
  isRefused: boolean
  usage: Usage
  /** What else the server said of the message, by its own names. */
  details: JsonObject
  /** Details of reasoning that came outside a thought, until something else begins. */
  readonly loose: JsonObject[]
  /** What has been said of oddities that would repeat with every chunk. */
  readonly noted: Set<string>
}

/** The state before the first chunk. */
export function createChatState(parts: Pick<ChatState, 'blocks' | 'calls' | 'text'>): ChatState {
  return {
    ...parts,
    started: false,
    ended: false,
    hasDelta: false,
    finishReason: null,
    isRefused: false,
    usage: noUsage,
    details: {},
    loose: [],
    noted: new Set(),
  }
}

/** Adds what an object says beyond the fields in `known`; null says nothing, a later value replaces an earlier one. */
export function overlayDetails(
  state: ChatState,
  later: JsonObject,
  known: ReadonlySet<string>,
): void {
  for (const field in later) {
    const value = later[field]
    if (known.has(field) || value == null || state.details[field] === value) continue
    // Built from entries, because assigning a field named __proto__ would change the prototype.
    state.details = { ...state.details, ...Object.fromEntries([[field, value]]) }
  }
}

/** Ends a message by the server's own word. */
export function finishMessage(state: ChatState): void {
  const { finishReason, calls, blocks } = state
  const { outcome, retry, runsCalls } = traitsOfFinish(finishReason)
  const isOrdinary = runsCalls && finishReason !== null
  state.text.finish()
  calls.finish(!isOrdinary)
  flushLoose(state)
  blocks.endProse()
  if (outcome === 'failed') {
    return cutMessage(state, { outcome, failure: toFinishFailure(finishReason) })
  }
  if (state.isRefused) return endMessage(state, { outcome: 'refused', retry: 'none' }, 'refusal')
  // Several servers say `stop` after calls, or nothing at all.
  const stopReason = runsCalls && calls.hasEnded ? toCallReason(state) : finishReason
  endMessage(state, { outcome, retry }, stopReason)
}

/** Ends a message that was cut: text stays as far as it came, calls and thoughts that are open do not. */
export function cutMessage(state: ChatState, { outcome, failure }: MessageCut): void {
  state.text.finish()
  const retry = retryOfCut(outcome, { isBegun: state.blocks.isBegun, failure })
  const told = failure === undefined ? { outcome, retry } : { outcome, retry, failure }
  endMessage(state, told, state.finishReason)
}

/** Writes the details that belong to no open thought as a thought of their own. */
export function flushLoose({ blocks, loose }: ChatState): void {
  if (loose.length === 0) return
  blocks.endProse()
  blocks.openProse('thinking').details = loose.splice(0)
  blocks.endProse()
}

function toCallReason(state: ChatState): string {
  const { finishReason } = state
  if (finishReason === 'tool_calls' || finishReason === 'function_call') return finishReason
  if (finishReason !== null) state.details = { ...state.details, finish_reason: finishReason }
  return 'tool_calls'
}

function endMessage(
  state: ChatState,
  end: Pick<MessageEnd, 'outcome' | 'retry' | 'failure'>,
  stopReason: string | null,
): void {
  const { blocks, usage, details } = state
  const { content, cut } = blocks.close()
  state.ended = true
  blocks.emit({
    type: 'message_end',
    ...end,
    stopReason,
    usage,
    content,
    ...(cut.length > 0 && { cut }),
    ...(Object.keys(details).length > 0 && { details }),
  })
}

function toFinishFailure(reason: string | null): ModelFailure {
  const message = `The provider broke the message off with the reason ${JSON.stringify(reason)}.`
  return { type: 'provider_error', message, retriable: true }
}
