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
