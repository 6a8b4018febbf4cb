import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from 'millrace'

/** Returns the fields of a tool's input or result, given as JSON or as JSON text; otherwise no fields. */
export function toFields(value: JsonValue): JsonObject {
  if (typeof value === 'string') return parseJsonObject(value) ?? {}
  return isJsonObject(value) ? value : {}
}
