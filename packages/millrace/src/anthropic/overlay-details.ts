import type { JsonObject, JsonValue } from '../json/index.ts'

/**
 * Adds what an event says of the message beyond the fields in `known`; null says nothing, and a later value
 * replaces an earlier one.
 */
export function overlayDetails(
  details: JsonObject | undefined,
  later: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  const told = Object.entries(later).filter(([field, value]) => isTold(value) && !known.has(field))
  if (told.length === 0) return details
  // Built from entries, because assigning a field named __proto__ would change the prototype.
  return { ...details, ...Object.fromEntries(told) }
}

function isTold(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined
}
