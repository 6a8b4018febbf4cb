import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/**
 * What a whole `delta` of JSON says, as an object. A bare array stands for both `tools` and `files`, which some
 * servers wrap and others do not; text that is not JSON is kept as a message.
 */
export function toPayload(delta: string): JsonObject {
  try {
    const value = JSON.parse(delta) as JsonValue
    if (isJsonObject(value)) return value
    if (isJsonArray(value)) return { tools: value, files: value }
  } catch {}
  return { message: delta }
}

/** The objects in a value that should be a list of them. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}
