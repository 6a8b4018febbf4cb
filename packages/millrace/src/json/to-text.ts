import type { JsonValue } from './json-value.ts'

/**
 * Converts foreign JSON to text: a string as it is, any other value as JSON. `String` throws for an object with a
 * member named `toString`.
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
