import {
  type Envelope,
  type EnvelopeTraits,
  type Extras,
  type MemberSource,
  typeOfEvent,
} from '../../envelope/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import type { PendingCall, StreamEvent } from './stream-event.ts'

/** The content of an event and its position in the log. */
interface WholeContent {
  readonly text: string
  readonly block: string
  readonly id: number
  readonly span: number
}

/** Creates the event of an item, or of a block that readers get as a whole. */
export function toWholeEvent(
  row: EnvelopeTraits | undefined,
  head: Envelope,
  { text, block, id: frameId, span }: WholeContent,
): StreamEvent {
  const { type, agent, final, delta, id = '', more, span: _span, ...rest } = head
  // A decoded frame holds nothing but JSON.
  const fields = rest as Extras
  const base = { agent, id: frameId, span, block, wireId: id, fields }
  if (row === undefined) return { type: 'unknown', ...base, wire: type, text }
  const { event = type, textMember = 'text', members = {} } = row
  if (row.delta !== 'json') {
    const known = pick(members, head, '')
    return { ...base, type: event, [textMember]: text, ...known } as StreamEvent
  }
  const payload = row.payload ?? toPayload(text)
  const calls = row.isList === true ? { calls: toCalls(payload, agent) } : {}
  return { ...base, type: event, payload, ...calls, ...pick(members, payload) } as StreamEvent
}

/** Picks the members whose values have their types; others have the default, or are absent without one. */
function pick(
  members: Readonly<Record<string, MemberSource>>,
  source: object,
  otherwise?: string,
): object {
  const picked = Object.entries(members).map(([member, from]): [string, unknown] => {
    const [field, type] = typeof from === 'string' ? [from, 'string'] : from
    const value = (source as Readonly<Record<string, unknown>>)[field]
    return [member, typeof value === type ? value : otherwise]
  })
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined))
}

/** Returns the type of the frames of an event. */
export function wireTypeOf(event: { readonly type: string; readonly wire?: string }): string {
  return event.wire ?? typeOfEvent(event.type)
}

/** Returns an event as a value under a name, for formats that have no form of their own for it. */
export function dataOf(event: StreamEvent): { readonly name: string; readonly value: JsonObject } {
  const name = event.type === 'unknown' ? event.wire : event.type
  if ('payload' in event) return { name, value: event.payload }
  const { wireId, fields } = event
  const delta = 'text' in event ? event.text : ''
  return { name, value: { delta, ...(wireId !== '' && { id: wireId }), ...fields } }
}

/**
 * Parses a complete `delta` of JSON. A bare list stands for `tools` and `files`, which some servers wrap and others do
 * not. Text that is not JSON is a message.
 */
function toPayload(delta: string): JsonObject {
  try {
    const value = JSON.parse(delta) as JsonValue
    if (isJsonObject(value)) return value
    if (isJsonArray(value)) return { tools: value, files: value }
  } catch {}
  return { message: delta }
}

/** Returns the objects in a value that should be a list of them. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}

/** Reads calls; those of a sub-agent name it. [LIFE-12] */
function toCalls({ tools }: JsonObject, speaker: string): readonly PendingCall[] {
  return objectsIn(tools).map((call) => {
    const { tool_use_id: callId, name, input, agent } = call
    return {
      callId: toString(callId),
      name: toString(name),
      input,
      agent: typeof agent === 'string' ? agent : speaker,
      request: pick(requestFields, call) as JsonObject,
    }
  })
}

function toString(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

const requestFields = { input_hash: 'input_hash', asked_at: 'asked_at', expires_at: 'expires_at' }
