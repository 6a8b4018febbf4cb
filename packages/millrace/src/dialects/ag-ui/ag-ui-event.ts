import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** An event of AG-UI 1.0: its type, and the fields that go with it. */
export type AgUiEvent = JsonObject & { readonly type: string }

/** The version of AG-UI that is written. */
export const AG_UI_VERSION = '1.0'

/** Fields of an event, of which some may be left out. */
export type AgUiFields = Readonly<Record<string, JsonValue | undefined>>

/** Makes an event; fields without a value are left out, because none may be null. */
export function toAgUiEvent(type: string, fields: AgUiFields): AgUiEvent {
  return { type, ...definedIn(fields) }
}

/** The fields that have a value, as an event's `metadata`; undefined if none has. */
export function toMetadata(fields: AgUiFields): JsonObject | undefined {
  const defined = definedIn(fields)
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

function definedIn(fields: AgUiFields): JsonObject {
  const defined: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) defined[name] = value
  }
  return defined
}
