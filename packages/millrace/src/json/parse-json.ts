import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts'

/** Parses JSON. Returns the other value for any other text. */
export function parseJsonOr<Other>(text: string, other: Other): JsonValue | Other {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return other
  }
}

/** Parses a JSON object. Returns undefined for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJsonOr(text, undefined)
  return isJsonObject(value) ? value : undefined
}
