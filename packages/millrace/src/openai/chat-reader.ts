import type { ModelEvent } from '../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import type { MessageCut } from '../model-stream/index.ts'
import { createTextReader, type SegmentTextOptions } from '../text-tools/index.ts'
import { ChatCalls } from './chat-calls.ts'
import { takeDelta } from './chat-delta.ts'
import { CallIds } from './call-ids.ts'
import {
  type ChatState,
  createChatState,
  cutMessage,
  finishMessage,
  overlayDetails,
  toCallEnd,
} from './chat-state.ts'
import { findUsage, overlayChatUsage } from './chat-usage.ts'
import { MessageBlocks } from './message-blocks.ts'
import { findError, toStreamFailure } from './stream-failure.ts'

/** How a stream of chat completions is read. */
export interface ChatReaderOptions {
  /** Makes an id for a call that came without one. */
  readonly createId?: () => string
  /** Ids that calls of the conversation already have. */
  readonly usedIds?: Iterable<string>
  /** How calls and reasoning are found in the text of models that have no calls of their own. */
  readonly segments?: SegmentTextOptions
  /** False where the model was told to call nothing, so that calls in its text are not to be run. */
  readonly mayCall?: boolean
}

/** Turns the chunks of one chat completion into model events, without I/O and without waiting. */
export interface ChatReader {
  /** True once `message_end` has been returned; whatever is fed later is ignored. */
  readonly ended: boolean
  /** True once a `finish_reason` has come; only usage and `[DONE]` may follow. */
  readonly isFinishing: boolean
  /** Takes the next chunk, or a completion that was not streamed, and returns what it means. */
  feed(chunk: JsonObject): ModelEvent[]
  /** Says that `[DONE]` has come. */
  finish(): ModelEvent[]
  /** Says that the stream ended otherwise: after a `finish_reason` it is the end, before one a cut. */
  end(cut: MessageCut): ModelEvent[]
}

/** Creates a reader for one message, in the dialect of any server. */
export function createChatReader({
  createId = () => `call_${crypto.randomUUID()}`,
  usedIds = [],
  segments,
  mayCall = true,
}: ChatReaderOptions = {}): ChatReader {
  const blocks = new MessageBlocks()
  const ids = new CallIds(createId, usedIds)
  const state = createChatState({ blocks, calls: new ChatCalls(blocks, ids) })
  const text =
    segments &&
    createTextReader({
      segments,
      createId: ({ callId = '' }) => ids.toFree(callId),
      endWithCalls: mayCall ? toCallEnd : (end) => end,
    })
  const during = (act: () => void): ModelEvent[] => {
    if (!state.ended) act()
    const events = blocks.take()
    return text === undefined ? events : events.flatMap((event) => text.feed(event))
  }
  return {
    get ended() {
      return state.ended
    },
    get isFinishing() {
      return state.finishReason !== null
    },
    feed: (chunk) => during(() => takeChunk(state, chunk)),
    finish: () => during(() => endAtDone(state)),
    end: (cut) => during(() => endAtCut(state, cut)),
  }
}

/** Fields of a chunk and of a choice that have a place of their own, or are noise; all others are details. */
const chunkFields: ReadonlySet<string> = new Set(
  'id object created model choices usage error obfuscation'.split(' '),
)
const choiceFields: ReadonlySet<string> = new Set(
  'index delta message finish_reason logprobs usage error text'.split(' '),
)

function takeChunk(state: ChatState, chunk: JsonObject): void {
  const choice = findChoice(state, chunk)
  startMessage(state, chunk, choice !== undefined)
  const usage = findUsage(chunk, choice)
  if (usage !== undefined) state.usage = overlayChatUsage(state.usage, usage)
  overlayDetails(state, chunk, chunkFields)
  if (choice !== undefined) takeChoice(state, choice)
  const error = findError(chunk, choice)
  if (error === undefined) return
  cutMessage(state, { outcome: 'failed', failure: toStreamFailure(error) })
}

function takeChoice(state: ChatState, choice: JsonObject): void {
  const { delta, message, finish_reason: reason } = choice
  overlayDetails(state, choice, choiceFields)
  // A completion that was not streamed has its message; some servers repeat it beside or after the deltas.
  if (isJsonObject(delta)) takeDelta(state, delta)
  else if (isJsonObject(message) && !state.hasDelta) takeDelta(state, message)
  state.hasDelta ||= isJsonObject(delta)
  if (typeof reason === 'string' && reason !== '') state.finishReason = reason
}

/** The choice that is read: the first. Azure sends chunks without one. */
function findChoice(state: ChatState, { choices }: JsonObject): JsonObject | undefined {
  if (!isJsonArray(choices)) return undefined
  const first = choices.find(isFirst)
  if (choices.length > (first === undefined ? 0 : 1) && !state.noted.has('choices')) {
    state.noted.add('choices')
    state.blocks.note('Only the first choice is read; ask for one (`n: 1`).')
  }
  return first
}

function isFirst(choice: JsonValue): choice is JsonObject {
  return isJsonObject(choice) && (choice['index'] ?? 0) === 0
}

function startMessage(state: ChatState, { id, model }: JsonObject, hasChoice: boolean): void {
  const messageId = typeof id === 'string' ? id : ''
  if (state.started || (messageId === '' && !hasChoice)) return
  state.started = true
  const event = { type: 'message_start', messageId } as const
  state.blocks.emit({ ...event, model: typeof model === 'string' ? model : '' })
}

function endAtDone(state: ChatState): void {
  if (!state.started) return cutMessage(state, empty)
  if (state.finishReason === null) {
    state.blocks.note('The stream ended with [DONE] but without a finish_reason.')
  }
  finishMessage(state)
}

/** After the model's own end only words about the message can be missing. */
function endAtCut(state: ChatState, cut: MessageCut): void {
  const isWhole = state.finishReason !== null && cut.outcome === 'interrupted'
  if (isWhole) finishMessage(state)
  else cutMessage(state, cut)
}

const empty: MessageCut = {
  outcome: 'interrupted',
  failure: {
    type: 'stream_truncated',
    message: 'The model’s stream ended before its message began.',
    retriable: true,
  },
}
