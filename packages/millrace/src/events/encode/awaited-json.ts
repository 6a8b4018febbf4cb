import type { AnnouncedCall, EventBase } from '../agent-event.ts'
import { parseJsonOr } from '../../json/index.ts'

/** Encodes pending calls, with the arguments in the model's own bytes. */
export function toAwaitedJson(calls: readonly (AnnouncedCall & Partial<EventBase>)[]): string {
  return `[${calls.map((call) => toCallJson(call)).join(',')}]`
}

/** Encodes calls that wait for approval, with their requests. [APR-1] */
export function toApprovalsJson(calls: readonly (AnnouncedCall & Partial<EventBase>)[]): string {
  return `[${calls.map((call) => toCallJson(call, toRequestFields(call))).join(',')}]`
}

/** Returns the wire fields of a call's approval request. [APR-1] */
export function toRequestFields({ request }: AnnouncedCall): Readonly<Record<string, string>> {
  if (request === undefined) return {}
  const { askedAt, expiresAt, inputHash } = request
  return {
    ...(inputHash !== undefined && { input_hash: inputHash }),
    asked_at: new Date(askedAt).toISOString(),
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
  }
}

function toCallJson(
  { id, name, inputText, agent }: AnnouncedCall & Partial<EventBase>,
  fields: object = {},
): string {
  const rest = { ...(agent !== undefined && { agent }), ...fields }
  const more = Object.entries(rest).map(([key, value]) => `,"${key}":${JSON.stringify(value)}`)
  return `{"tool_use_id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${toInputJson(inputText)}${more.join('')}}`
}

/** Returns the arguments as JSON; invalid JSON becomes a string, so that the message stays readable. */
function toInputJson(inputText: string): string {
  if (inputText.trim() === '') return '{}'
  return parseJsonOr(inputText, undefined) === undefined ? JSON.stringify(inputText) : inputText
}
