import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** Adds usage: numbers are added, objects are merged member by member, other values are replaced by the later one. */
export function addCounts(one: JsonObject, other: JsonObject): JsonObject {
  const sum: Record<string, JsonValue> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = Object.hasOwn(sum, name) ? sum[name] : undefined
    if (value !== null) sum[name] = addValues(before, value)
  }
  return sum
}

function addValues(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (typeof before === 'number' && typeof value === 'number') return before + value
  return isJsonObject(before) && isJsonObject(value) ? addCounts(before, value) : value
}
