import { dropForeign } from '../models/anthropic/index.ts'
import {
  type BlockEnd,
  type BlockKind,
  type BlockStart,
  type ContentBlock,
  isProviderEnd,
  type MessageEnd,
  type MessageStart,
  type ModelEvent,
  type ModelFailure,
  toShownFailure,
} from '../events/index.ts'
import type { JsonObject, JsonValue } from '../json/index.ts'

interface MessageEvent extends JsonObject {
  readonly type: string
}

/** Converts model events back to events of the Messages API. */
interface MessageEvents {
  take(event: ModelEvent): MessageEvent[]
}

/** Delta type of a block kind, and the field of the block's start that its deltas fill. */
interface DeltaForm {
  readonly type: string
  readonly field: string
  readonly body: string
  readonly empty: JsonValue
}

const input: DeltaForm = {
  type: 'input_json_delta',
  field: 'partial_json',
  body: 'input',
  empty: {},
}

const deltaForms: Partial<Record<BlockKind, DeltaForm>> = {
  text: { type: 'text_delta', field: 'text', body: 'text', empty: '' },
  thinking: { type: 'thinking_delta', field: 'thinking', body: 'thinking', empty: '' },
  tool_call: input,
  server_tool_call: input,
}

/** The delta type that carries the final value of a block, by block type. */
const lastDeltas: ReadonlyMap<string, string> = new Map([
  ['thinking', 'signature_delta'],
  ['compaction', 'compaction_delta'],
])

/** Stop reasons of the Messages API, by finish reason of chat completions. */
const foreignReasons: ReadonlyMap<string | null, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

/** Fields of a message that the API sends next to `delta`, not inside it. */
const besideDelta: ReadonlySet<string> = new Set(['context_management'])

/** Creates an encoder for the messages of one stream; it holds the starts of open blocks. */
export function createMessageEvents(): MessageEvents {
  const starts = new Map<number, BlockStart>()

  const handlers: {
    readonly [Type in ModelEvent['type']]: (
      event: Extract<ModelEvent, { type: Type }>,
    ) => MessageEvent[]
  } = {
    message_start(event) {
      starts.clear()
      return [toMessageStart(event)]
    },
    block_start(event) {
      starts.set(event.block, event)
      return [{ type: 'content_block_start', index: event.block, content_block: toEmpty(event) }]
    },
    block_delta({ block, text }) {
      const form = deltaForms[starts.get(block)?.kind ?? 'other']
      if (form === undefined) return []
      return [toDelta(block, { type: form.type, [form.field]: text })]
    },
    block_citation: ({ block, citation }) => [
      toDelta(block, { type: 'citations_delta', citation }),
    ],
    block_end(event) {
      const start = starts.get(event.block)
      starts.delete(event.block)
      return [...toLastDelta(start, event), { type: 'content_block_stop', index: event.block }]
    },
    message_end: toMessageEnd,
    notice: () => [],
  }

  return { take: (event) => (handlers[event.type] as (one: ModelEvent) => MessageEvent[])(event) }
}

/** Creates the event that ends a stream whose message was cut. */
export function toErrorEvent(failure: ModelFailure | undefined): MessageEvent {
  const message = 'The stream ended before its message did.'
  const { type, message: shown } = toShownFailure(
    failure ?? { type: 'api_error', message, retriable: true },
  )
  return { type: 'error', error: { type, message: shown } }
}

function toDelta(index: number, delta: JsonObject): MessageEvent {
  return { type: 'content_block_delta', index, delta }
}

function toMessageStart({ messageId, model }: MessageStart): MessageEvent {
  const message = {
    id: messageId,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    // Counts are known only at the end, and the last counts apply.
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  return { type: 'message_start', message }
}

/** Removes the text that deltas will repeat from a block's start. */
function toEmpty({ kind, content: given }: BlockStart): JsonObject {
  const content = toApiBlock(given)
  const form = deltaForms[kind]
  if (form === undefined || !(form.body in content)) return content
  return { ...content, [form.body]: form.empty }
}

/** Converts a block of another provider to a block of this API: its thinking has no signature. */
function toApiBlock(content: ContentBlock): ContentBlock {
  const own = dropForeign(content)
  return own === content || own.type !== 'thinking' ? own : { signature: '', ...own }
}

/** Returns the delta for a final value that no earlier delta carries, such as a signature. */
function toLastDelta(start: BlockStart | undefined, { block, content }: BlockEnd): MessageEvent[] {
  const type = lastDeltas.get(content.type)
  if (type === undefined) return []
  const body = deltaForms[start?.kind ?? 'other']?.body
  const present = Object.entries(dropForeign(content)).filter(
    ([field, value]) => field !== body && value !== start?.content[field],
  )
  return present.length === 0 ? [] : [toDelta(block, { ...Object.fromEntries(present), type })]
}

function toMessageEnd({
  outcome,
  failure,
  stopReason,
  usage,
  details = {},
}: MessageEnd): MessageEvent[] {
  if (!isProviderEnd(outcome)) return [toErrorEvent(failure)]
  const entries = Object.entries(details)
  const beside = entries.filter(([field]) => besideDelta.has(field))
  const inDelta = entries.filter(([field]) => !besideDelta.has(field))
  const reason = foreignReasons.get(stopReason) ?? stopReason
  const delta = { stop_sequence: null, ...Object.fromEntries(inDelta), stop_reason: reason }
  const counts = Object.fromEntries(
    Object.entries(usage).filter(([, value]) => value !== undefined),
  )
  return [
    { ...Object.fromEntries(beside), type: 'message_delta', delta, usage: counts as JsonObject },
    { type: 'message_stop' },
  ]
}
