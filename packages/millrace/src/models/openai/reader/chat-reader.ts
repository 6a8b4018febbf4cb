import type { ModelEvent, Usage } from '../../../events/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
} from '../../../json/index.ts'
import { type FrameReader, malformedFrame, type MessageCut } from '../../stream/index.ts'
import { createTextReader, type SegmentTextOptions } from '../../text-tools/index.ts'
import { CallIds, ChatCalls } from './chat-calls.ts'
import { takeDelta } from './chat-delta.ts'
import {
  type ChatState,
  createChatState,
  cutMessage,
  finishMessage,
  mergeDetails,
  toCallEnd,
} from './chat-state.ts'
import { MessageBlocks } from './message-blocks.ts'
import { findError, toStreamFailure } from './stream-failure.ts'

/** Options of {@link createChatReader}. */
export interface ChatReaderOptions {
  /** Creates an id for a call without one. */
  readonly createId?: () => string
  /** Ids of earlier calls of the conversation. */
  readonly usedIds?: Iterable<string>
  /** Options for finding calls and reasoning in the text of models without native calls. */
  readonly segments?: SegmentTextOptions
  /** False if the request forbids calls. Calls in the text are then not run. */
  readonly mayCall?: boolean
}

/** Converts the chunks of one chat completion to model events. Performs no I/O. */
export interface ChatReader {
  /** True after `message_end` was returned. Further chunks are ignored. */
  readonly ended: boolean
  /** True after a `finish_reason`. Only usage and `[DONE]` may follow. */
  readonly isFinishing: boolean
  /** Handles the next chunk, or an unstreamed completion, and returns the resulting events. */
  feed(chunk: JsonObject): ModelEvent[]
  /** Handles `[DONE]`. */
  finish(): ModelEvent[]
  /** Handles another end of the stream: regular after a `finish_reason`, else an interruption. */
  end(cut: MessageCut): ModelEvent[]
}

/** Creates a reader for one message. Accepts the variations of all known servers. */
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
      createId: ({ callId = '' }) => ids.assign(callId),
      endWithCalls: mayCall ? toCallEnd : (end) => end,
    })
  const collect = (update: () => void): ModelEvent[] => {
    if (!state.ended) update()
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
    feed: (chunk) => collect(() => takeChunk(state, chunk)),
    finish: () => collect(() => endAtDone(state)),
    end: (cut) => collect(() => endAtCut(state, cut)),
  }
}

/** Fields of a chunk and of a choice that are mapped or ignored; all others are stored as details. */
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
  if (usage !== undefined) state.usage = mergeChatUsage(state.usage, usage)
  mergeDetails(state, chunk, chunkFields)
  if (choice !== undefined) takeChoice(state, choice)
  const error = findError(chunk, choice)
  if (error === undefined) return
  cutMessage(state, { outcome: 'failed', failure: toStreamFailure(error) })
}

function takeChoice(state: ChatState, choice: JsonObject): void {
  const { delta, message, finish_reason: reason } = choice
  mergeDetails(state, choice, choiceFields)
  // An unstreamed completion has a message. Some servers repeat it with or after the deltas.
  if (isJsonObject(delta)) takeDelta(state, delta)
  else if (isJsonObject(message) && !state.hasDelta) takeDelta(state, message)
  state.hasDelta ||= isJsonObject(delta)
  if (typeof reason === 'string' && reason !== '') state.finishReason = reason
}

/** Finds the first choice; others are ignored. Azure sends chunks without choices. */
function findChoice(state: ChatState, { choices }: JsonObject): JsonObject | undefined {
  if (!isJsonArray(choices)) return undefined
  const first = choices.find(isFirst)
  if (choices.length > (first === undefined ? 0 : 1) && !state.sentNotices.has('choices')) {
    state.sentNotices.add('choices')
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

/** Ends an interrupted message. After the model's end, only metadata can be missing. */
function endAtCut(state: ChatState, cut: MessageCut): void {
  const isComplete = state.finishReason !== null && cut.outcome === 'interrupted'
  if (isComplete) finishMessage(state)
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

/** Finds the usage in a chunk, in the fields of OpenAI, Moonshot or Groq. */
function findUsage({ usage, x_groq: groq }: JsonObject, choice: JsonObject | undefined) {
  if (isJsonObject(usage)) return usage
  if (isJsonObject(choice?.['usage'])) return choice['usage']
  return isJsonObject(groq) && isJsonObject(groq['usage']) ? groq['usage'] : undefined
}

/**
 * Merges a later report into an earlier one. Reports are cumulative; null is ignored. `prompt_tokens` includes cached
 * tokens; `input_tokens` does not, so that the fields add up to the prompt.
 */
function mergeChatUsage(usage: Usage, report: JsonObject): Usage {
  const { prompt_tokens, completion_tokens, ...others } = report
  const present = Object.entries(others).filter(([, value]) => value !== null)
  const read = cacheRead(report)
  const written = numberIn(report['prompt_tokens_details'], 'cache_write_tokens')
  return {
    // Built from entries, because an assignment to `__proto__` would change the prototype.
    ...usage,
    ...Object.fromEntries(present),
    ...(typeof prompt_tokens === 'number' && {
      input_tokens: Math.max(0, prompt_tokens - (read ?? 0) - (written ?? 0)),
    }),
    ...(typeof completion_tokens === 'number' && { output_tokens: completion_tokens }),
    ...(read !== undefined && { cache_read_input_tokens: read }),
    ...(written !== undefined && { cache_creation_input_tokens: written }),
  }
}

/** Reads the field of OpenAI, then of DeepSeek and Moonshot. */
function cacheRead(report: JsonObject): number | undefined {
  return (
    numberIn(report['prompt_tokens_details'], 'cached_tokens') ??
    numberIn(report, 'prompt_cache_hit_tokens') ??
    numberIn(report, 'cached_tokens')
  )
}

function numberIn(value: JsonValue | undefined, field: string): number | undefined {
  const found = isJsonObject(value) ? value[field] : undefined
  return typeof found === 'number' ? found : undefined
}

/** Creates a reader of the frames of a chat completions stream. */
export function createFrameReader(reader: ChatReader): FrameReader {
  return {
    get ended() {
      return reader.ended
    },
    get isFinishing() {
      return reader.isFinishing
    },
    feed({ data, event }) {
      const text = data.trim()
      if (text === '') return []
      if (text === '[DONE]') return reader.finish()
      const chunk = parseJsonObject(text)
      // An event named error may hold plain text instead of JSON.
      if (event === 'error') return reader.feed(toError(chunk, text))
      return chunk === undefined ? reader.end(malformedFrame(text)) : reader.feed(chunk)
    },
    end: (cut) => reader.end(cut),
  }
}

function toError(chunk: JsonObject | undefined, text: string): JsonObject {
  if (chunk === undefined) return { error: text }
  return chunk['error'] === undefined ? { error: chunk } : chunk
}
