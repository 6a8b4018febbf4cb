import type { JsonObject, JsonValue } from '../json/index.ts'

/** Adds the fields of an event that are not in `known`. Null is ignored; a later value replaces an earlier one. */
export function overlayDetails(
  details: JsonObject | undefined,
  later: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  const told = Object.entries(later).filter(([field, value]) => isTold(value) && !known.has(field))
  if (told.length === 0) return details
  // Built from entries, because an assignment to `__proto__` would change the prototype.
  return { ...details, ...Object.fromEntries(told) }
}

function isTold(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined
}
