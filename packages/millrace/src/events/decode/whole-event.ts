import { type Envelope } from '../envelope/envelope.ts'
import { type EnvelopeTraits, type MemberSource } from '../catalog/envelope-traits.ts'
import { typeOfEvent } from '../catalog/find-traits.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import type { PausedCall, StreamEvent } from './stream-event.ts'

interface WholeContent {
  readonly text: string
  readonly block: string
  readonly id: number
  readonly span: number
}

/** An event that is being made. Adding its members one by one takes a fifth of the time of spreading them. */
type Members = Record<string, unknown>

const unknownRow = { delta: 'text', event: 'unknown', members: { wire: 'type' } } as const

/** Creates the event of an item, or of a block that readers get as a whole. */
export function toWholeEvent(
  row: Partial<EnvelopeTraits> = unknownRow,
  head: Envelope,
  { text, block, id: frameId, span }: WholeContent,
): StreamEvent {
  const { type: wire, agent, final, delta, id: wireId = '', more, span: _span, ...fields } = head
  const { event: type = wire, textMember = 'text', members, unpackedWith } = row
  const event: Members = { type, agent, id: frameId, span, block, wireId, fields }
  if (row.delta === 'json') {
    const payload = row.payload ?? toPayload(text)
    event['payload'] = payload
    if (row.isList === true) event['calls'] = toCalls(payload, agent)
    addMembers(event, members, payload)
  } else {
    event[textMember] = text
    addMembers(event, members, head, '')
  }
  if (unpackedWith !== undefined && !(unpackedWith in head)) {
    const { cited_text: citedText, ...unpacked } = toPayload(text)
    if (typeof citedText === 'string') {
      event[textMember] = citedText
      event['fields'] = unpacked
    }
  }
  // The row defines the members, and a decoded frame contains only JSON.
  return event as unknown as StreamEvent
}

/** Adds the members whose values have their types; others have the default, or are absent without one. */
export function addMembers(
  to: Members,
  members: Readonly<Record<string, MemberSource>> = {},
  source: object,
  otherwise?: string,
): void {
  for (const member in members) {
    const from = members[member]!
    const [field, type] = typeof from === 'string' ? [from, 'string'] : from
    const value = (source as Members)[field]
    const picked = typeof value === type ? value : otherwise
    if (picked !== undefined) to[member] = picked
  }
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
function toCalls({ tools }: JsonObject, speaker: string): readonly PausedCall[] {
  return objectsIn(tools).map((call) => {
    const { tool_use_id: callId, name, input, agent } = call
    const request = {}
    addMembers(request, requestFields, call)
    return {
      callId: toString(callId),
      name: toString(name),
      input,
      agent: typeof agent === 'string' ? agent : speaker,
      request,
    }
  })
}

function toString(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

const requestFields = { input_hash: 'input_hash', asked_at: 'asked_at', expires_at: 'expires_at' }
