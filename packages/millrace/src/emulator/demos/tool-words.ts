import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from '../../json/index.ts'

/** The fields of what a tool was asked or has answered, as JSON or as JSON in a text; none if it is neither. */
export function toFields(value: JsonValue): JsonObject {
  if (typeof value === 'string') return parseJsonObject(value) ?? {}
  return isJsonObject(value) ? value : {}
}
