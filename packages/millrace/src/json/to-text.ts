import type { JsonValue } from './json-value.ts'

/**
 * Gives a value of somebody else's JSON as text: itself if it is text, else as JSON. `String` throws for an object
 * with a member of the name `toString`.
 */
export function toText(value: JsonValue | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // Nested more deeply than the stack.
    return ''
  }
}
