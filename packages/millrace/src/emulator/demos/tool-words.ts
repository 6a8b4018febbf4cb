import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** The fields of what a tool was asked or has answered, as JSON or as JSON in a text; none if it is neither. */
export function toFields(value: JsonValue): JsonObject {
  if (typeof value !== 'string') return isJsonObject(value) ? value : {}
  try {
    const parsed: unknown = JSON.parse(value)
    return isJsonObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}
