import { noUsage, type Usage } from '../events/index.ts'
import { isJsonObject, type JsonValue } from '../json/index.ts'

/**
 * Lays a later usage report over an earlier one: per field, a value replaces the earlier and null does not.
 * Reports are cumulative and may go down, so nothing is added up and nothing is maximised.
 */
export function overlayUsage(usage: Usage, later: JsonValue | undefined): Usage {
  if (!isJsonObject(later)) return usage
  const told = Object.entries(later).filter(([field, value]) => {
    if (Object.hasOwn(noUsage, field)) return typeof value === 'number'
    return value !== null || !Object.hasOwn(usage, field)
  })
  // Built from entries, because assigning a field named __proto__ would change the prototype.
  return { ...usage, ...Object.fromEntries(told) }
}
