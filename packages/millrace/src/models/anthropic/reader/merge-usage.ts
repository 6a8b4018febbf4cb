import { noUsage, type Usage } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'

/**
 * Merges a later usage report into an earlier one: each value replaces the earlier one, null does not. Reports are
 * cumulative and may decrease, so values are neither added nor maximised.
 */
export function mergeUsage(usage: Usage, later: JsonValue | undefined): Usage {
  if (!isJsonObject(later)) return usage
  const present = Object.entries(later).filter(
    ([field, value]) => !Object.hasOwn(noUsage, field) || typeof value === 'number',
  )
  return { ...usage, ...mergeFields(usage as JsonObject, present) }
}

/** Merges nested counts, such as those of server tools, by the same rule. Lists are replaced. */
function mergeFields(
  earlier: JsonObject,
  later: readonly (readonly [string, JsonValue])[],
): JsonObject {
  const present = later.flatMap(([field, value]): [string, JsonValue][] => {
    const before = Object.hasOwn(earlier, field) ? earlier[field] : undefined
    if (value === null) return before === undefined ? [[field, value]] : []
    if (!isJsonObject(before) || !isJsonObject(value)) return [[field, value]]
    return [[field, { ...before, ...mergeFields(before, Object.entries(value)) }]]
  })
  // Built from entries, because an assignment to `__proto__` would change the prototype.
  return Object.fromEntries(present)
}
