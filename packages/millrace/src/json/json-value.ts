/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object, with keys as they came. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Tells whether a value is a JSON object rather than an array, a scalar or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tells whether a value is a JSON array; `Array.isArray` forgets what a read-only one holds. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}
