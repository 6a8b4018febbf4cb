/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object; its keys are not validated. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Checks for a JSON object: not an array, a scalar or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks for a JSON array. `Array.isArray` would lose the element type of a read-only array. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

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

/**
 * Converts foreign JSON to text: a string as it is, any other value as JSON. `String` throws for an object with a member named `toString`.
 */
export function toText(value: JsonValue | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // The value is nested more deeply than the stack allows.
    return ''
  }
}
