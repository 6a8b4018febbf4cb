import {
  isContentBlock,
  type ModelEvent,
  type ModelNotice,
  noUsage,
  type Usage,
} from '../../../events/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import type { MessageCut } from '../../stream/index.ts'
import { onBlockDelta, onBlockStop, startBlock, stopBlock } from './block-events.ts'
import { toStreamFailure } from './failure.ts'
import {
  createMessageState,
  endMessage,
  type EventHandler,
  type MessageState,
  note,
} from './message-state.ts'
import { textOf } from './open-block.ts'

/** Converts the events of one Messages API stream to model events. Performs no I/O. */
export interface MessageReader {
  /** True after `message_end` was returned. Further events are ignored. */
  readonly ended: boolean
  /** Handles the next API event and returns the resulting model events. */
  feed(event: JsonObject): ModelEvent[]
  /** Ends an interrupted message. Returns no events if it has already ended. */
  end(cut: MessageCut): ModelEvent[]
}

/** Options of {@link createMessageReader}. */
export interface MessageReaderOptions {
  /** Receives a notice for each event after the end. Such events have no effect. */
  readonly onLate?: ((notice: ModelNotice) => void) | undefined
}

/**
 * Creates a reader for one message. The deltas of a closed text, thinking or call block always join to its complete
 * text or `inputText`: content in the start of a block is repeated as a delta. Tool input that is not a JSON object
 * becomes `{}` in `content`, with a notice; `inputText` keeps the original.
 */
export function createMessageReader({ onLate }: MessageReaderOptions = {}): MessageReader {
  const state = createMessageState()
  return {
    get ended() {
      return state.ended
    },
    feed(event) {
      const out: ModelEvent[] = []
      if (!state.ended) (handlers.get(event['type']) ?? onUnknown)(state, event, out)
      else if (event['type'] !== 'ping') onLate?.(toLateNotice(event))
      return out
    },
    end(cut) {
      const out: ModelEvent[] = []
      if (!state.ended) endMessage(state, cut, out)
      return out
    },
  }
}

/** Fields of `message_start` and `message_delta` that are mapped; all others are stored as details. */
const startFields: ReadonlySet<string> = new Set(
  'id type role model content stop_reason usage'.split(' '),
)
const deltaFields: ReadonlySet<string> = new Set('type delta stop_reason usage'.split(' '))

const onMessageStart: EventHandler = (state, event, out) => {
  const message = isJsonObject(event['message']) ? event['message'] : {}
  const { id, model, stop_reason, usage, content } = message
  if (state.started) return restartMessage(state, id, out)
  state.started = true
  state.id = id
  state.stopReason = typeof stop_reason === 'string' ? stop_reason : null
  state.usage = mergeUsage(state.usage, usage)
  state.details = mergeDetails(state.details, message, startFields)
  out.push({ type: 'message_start', messageId: textOf(id), model: textOf(model) })
  // The start of a message that continues code execution may contain complete blocks.
  for (const block of isJsonArray(content) ? content : []) {
    if (!isContentBlock(block)) continue
    startBlock(state, undefined, block, out)
    stopBlock(state, state.open.length - 1, out)
  }
}

/** Handles a second start. A gateway may repeat the start, or insert another message after its own retry. */
function restartMessage(state: MessageState, id: JsonValue | undefined, out: ModelEvent[]): void {
  if (id === state.id) return note(out, 'A second message_start with the same id was ignored.')
  const message = `Message ${textOf(id)} started inside message ${textOf(state.id)}; repeat the request.`
  const failure = { type: 'spliced_message', message, retriable: true }
  endMessage(state, { outcome: 'failed', failure }, out)
}

const onBlockStart: EventHandler = (state, event, out) => {
  const block = event['content_block']
  if (!isContentBlock(block)) return note(out, 'A block without a type was ignored.', event)
  if (!state.started) {
    note(out, 'A block began before message_start; the message has no id and no model.')
    onMessageStart(state, {}, out)
  }
  startBlock(state, event['index'], block, out)
}

const onMessageDelta: EventHandler = (state, event, out) => {
  if (!state.started) return note(out, 'A message_delta before message_start was ignored.', event)
  const delta = isJsonObject(event['delta']) ? event['delta'] : {}
  const { stop_reason } = delta
  if (typeof stop_reason === 'string') state.stopReason = stop_reason
  state.usage = mergeUsage(state.usage, event['usage'])
  state.details = mergeDetails(state.details, delta, deltaFields)
  state.details = mergeDetails(state.details, event, deltaFields)
}

const onMessageStop: EventHandler = (state, event, out) => {
  if (state.started) endMessage(state, undefined, out)
  else note(out, 'A message_stop before message_start was ignored.', event)
}

const onError: EventHandler = (state, event, out) =>
  endMessage(state, { outcome: 'failed', failure: toStreamFailure(event) }, out)

const onPing: EventHandler = () => {}

const onUnknown: EventHandler = (_state, event, out) =>
  note(out, `An event of unknown type ${JSON.stringify(event['type'])} was ignored.`, event)

const handlers: ReadonlyMap<JsonValue | undefined, EventHandler> = new Map([
  ['message_start', onMessageStart],
  ['content_block_start', onBlockStart],
  ['content_block_delta', onBlockDelta],
  ['content_block_stop', onBlockStop],
  ['message_delta', onMessageDelta],
  ['message_stop', onMessageStop],
  ['error', onError],
  ['ping', onPing],
])

function toLateNotice(raw: JsonObject): ModelNotice {
  return { type: 'notice', message: 'An event after the end of the message was ignored.', raw }
}

/** Adds the fields of an event that are not in `known`. Null is ignored; a later value replaces an earlier one. */
function mergeDetails(
  details: JsonObject | undefined,
  later: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  const present = Object.entries(later).filter(
    ([field, value]) => isPresent(value) && !known.has(field),
  )
  if (present.length === 0) return details
  // Built from entries, because an assignment to `__proto__` would change the prototype.
  return { ...details, ...Object.fromEntries(present) }
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined
}

/**
 * Merges a later usage report into an earlier one: each value replaces the earlier one, null does not. Reports are
 * cumulative and may decrease, so values are neither added nor maximised.
 */
function mergeUsage(usage: Usage, later: JsonValue | undefined): Usage {
  if (!isJsonObject(later)) return usage
  const present = Object.entries(later).filter(
    ([field, value]) => !Object.hasOwn(noUsage, field) || typeof value === 'number',
  )
  return { ...usage, ...mergeFields(usage as JsonObject, present) }
}

/** Merges nested counts, such as those of server tools, by the same rule. Lists are replaced. */
function mergeFields(
  earlier: JsonObject,
  later: readonly (readonly [string, JsonValue])[],
): JsonObject {
  const present = later.flatMap(([field, value]): [string, JsonValue][] => {
    const before = Object.hasOwn(earlier, field) ? earlier[field] : undefined
    if (value === null) return before === undefined ? [[field, value]] : []
    if (!isJsonObject(before) || !isJsonObject(value)) return [[field, value]]
    return [[field, { ...before, ...mergeFields(before, Object.entries(value)) }]]
  })
  // Built from entries, because an assignment to `__proto__` would change the prototype.
  return Object.fromEntries(present)
}
