import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** An event of AG-UI 1.0: its type and fields. */
export type AgUiEvent = JsonObject & { readonly type: string }

/** The AG-UI version of written streams. */
export const AG_UI_VERSION = '1.0'

/** Fields of an event. Undefined ones are omitted. */
export type AgUiFields = Readonly<Record<string, JsonValue | undefined>>

/** Creates an event, of a sub-agent if a tag is given. Undefined fields are omitted, because AG-UI allows no null. */
export function toAgUiEvent(type: string, fields: AgUiFields, subagentRunId?: string): AgUiEvent {
  const event: Record<string, JsonValue> & { readonly type: string } = addDefined({ type }, fields)
  if (subagentRunId !== undefined) event['subagentRunId'] = subagentRunId
  return event
}

/** Returns the defined fields as an event's `metadata`; undefined if there are none. */
export function toMetadata(fields: AgUiFields): JsonObject | undefined {
  const defined = addDefined({}, fields)
  return Object.keys(defined).length === 0 ? undefined : defined
}

/** Returns an object field; empty for any other value. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Returns a text field; undefined for an empty text or any other value. */
export function wordsOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Adds defined fields in place, by key: this runs for every delta. */
function addDefined<Into extends Record<string, JsonValue>>(into: Into, fields: AgUiFields): Into {
  const target: Record<string, JsonValue> = into
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) target[name] = value
  }
  return into
}
