import type { ModelEvent } from '../../../src/events/index.ts'
import { createMessageReader } from '../../../src/models/anthropic/index.ts'
import type { MessageCut } from '../../../src/models/stream/message-body.ts'
import type { JsonObject, JsonValue } from '../../../src/json/index.ts'

/** One `message_end`. */
export type MessageEnd = Extract<ModelEvent, { type: 'message_end' }>

/** A `message_start` with the relevant fields of the message. */
export function messageStart(message: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 12, output_tokens: 1, cache_read_input_tokens: 3 }
  return {
    type: 'message_start',
    message: { id: 'msg_1', model: 'model-1', content: [], stop_reason: null, usage, ...message },
  }
}

/** A `content_block_start`. */
export function blockStart(index: number, content_block: JsonObject): JsonObject {
  return { type: 'content_block_start', index, content_block }
}

/** A `content_block_delta`. */
export function blockDelta(index: number, type: string, fields: JsonObject): JsonObject {
  return { type: 'content_block_delta', index, delta: { type, ...fields } }
}

/** A `content_block_stop`. */
export function blockStop(index: number): JsonObject {
  return { type: 'content_block_stop', index }
}

/** The `message_delta` and `message_stop` of an ordinary end. */
export function messageEnd(
  stop_reason = 'end_turn',
  usage: JsonValue = { output_tokens: 9 },
): JsonObject[] {
  return [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }]
}

/** The events of a text block, one delta for each piece. */
export function textBlock(index: number, ...pieces: string[]): JsonObject[] {
  const deltas = pieces.map((text) => blockDelta(index, 'text_delta', { text }))
  return [blockStart(index, { type: 'text', text: '' }), ...deltas, blockStop(index)]
}

/** The events of a tool call, one delta for each piece of its input. */
export function toolBlock(index: number, name: string, ...pieces: string[]): JsonObject[] {
  const start = { type: 'tool_use', id: `toolu_${index}`, name, input: {} }
  const deltas = pieces.map((partial_json) =>
    blockDelta(index, 'input_json_delta', { partial_json }),
  )
  return [blockStart(index, start), ...deltas, blockStop(index)]
}

/** Writes events as the body of a response. */
export function toBody(events: readonly JsonObject[]): string {
  return events
    .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

/** Reads events to the end; a message without an end is interrupted. */
export function readEvents(
  events: readonly JsonObject[],
  cut: MessageCut = { outcome: 'interrupted' },
): ModelEvent[] {
  const reader = createMessageReader()
  const out = events.flatMap((event) => reader.feed(event))
  return [...out, ...reader.end(cut)]
}

/** The terminal event of a run. */
export function endOf(events: readonly ModelEvent[]): MessageEnd {
  const last = events.at(-1)
  if (last?.type !== 'message_end') throw new Error('The last event is not message_end.')
  return last
}

/** The messages of all notices. */
export function noticesOf(events: readonly ModelEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))
}

/** A run without its notices, for the comparison of equivalent runs. */
export function withoutNotices(events: readonly ModelEvent[]): ModelEvent[] {
  return events.filter((event) => event.type !== 'notice')
}
