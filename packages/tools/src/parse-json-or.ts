import type { JsonValue } from 'millrace'

/** Parses JSON. Returns the other value for any other text. */
export function parseJsonOr<Other>(text: string, other: Other): JsonValue | Other {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return other
  }
}
