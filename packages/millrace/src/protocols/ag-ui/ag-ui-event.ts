import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** An event of AG-UI 1.0: its type, and the fields that go with it. */
export type AgUiEvent = JsonObject & { readonly type: string }

/** The version of AG-UI that is written. */
export const AG_UI_VERSION = '1.0'

/** Fields of an event, of which some may be left out. */
export type AgUiFields = Readonly<Record<string, JsonValue | undefined>>

/** Makes an event, of a sub-agent if it has a tag; fields without a value are left out, because none may be null. */
export function toAgUiEvent(type: string, fields: AgUiFields, subagentRunId?: string): AgUiEvent {
  const event: Record<string, JsonValue> & { readonly type: string } = addDefined({ type }, fields)
  if (subagentRunId !== undefined) event['subagentRunId'] = subagentRunId
  return event
}

/** The fields that have a value, as an event's `metadata`; undefined if none has. */
export function toMetadata(fields: AgUiFields): JsonObject | undefined {
  const defined = addDefined({}, fields)
  return Object.keys(defined).length === 0 ? undefined : defined
}

/** A field that should be an object. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** A field that should be text; undefined if it is something else or empty. */
export function wordsOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** In place, and by key: this is done for every delta. */
function addDefined<Into extends Record<string, JsonValue>>(into: Into, fields: AgUiFields): Into {
  const target: Record<string, JsonValue> = into
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) target[name] = value
  }
  return into
}
