import { isJsonObject, type JsonObject } from './json-value.ts'

/** Reads a text that may be a JSON object; undefined if it is none. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
