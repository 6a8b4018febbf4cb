import { noUsage, type Usage } from '../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/**
 * Lays a later usage report over an earlier one: per field, a value replaces the earlier and null does not.
 * Reports are cumulative and may go down, so nothing is added up and nothing is maximised.
 */
export function overlayUsage(usage: Usage, later: JsonValue | undefined): Usage {
  if (!isJsonObject(later)) return usage
  const told = Object.entries(later).filter(
    ([field, value]) => !Object.hasOwn(noUsage, field) || typeof value === 'number',
  )
  return { ...usage, ...overlayFields(usage as JsonObject, told) }
}

/** Counts within counts, such as those of server tools, follow the same rule; lists are replaced. */
function overlayFields(
  earlier: JsonObject,
  later: readonly (readonly [string, JsonValue])[],
): JsonObject {
  const told = later.flatMap(([field, value]): [string, JsonValue][] => {
    const before = Object.hasOwn(earlier, field) ? earlier[field] : undefined
    if (value === null) return before === undefined ? [[field, value]] : []
    if (!isJsonObject(before) || !isJsonObject(value)) return [[field, value]]
    return [[field, { ...before, ...overlayFields(before, Object.entries(value)) }]]
  })
  // Built from entries, because assigning a field named __proto__ would change the prototype.
  return Object.fromEntries(told)
}
