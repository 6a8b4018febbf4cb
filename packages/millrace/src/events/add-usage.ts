import { isJsonObject, type JsonValue } from '../json/index.ts'
import { noUsage, type Usage } from './message.ts'

/**
 * Adds the usage of a model call to that of a run. Numbers are added, strings keep the latest value, lists are
 * dropped.
 */
export function addUsage(total: Usage, usage: Usage): Usage {
  return { ...noUsage, ...addFields(total, usage) }
}

function addFields(
  total: Readonly<Record<string, JsonValue | undefined>>,
  more: Readonly<Record<string, JsonValue | undefined>>,
): Record<string, JsonValue> {
  const sums = new Map<string, JsonValue>()
  for (const [field, value] of [...Object.entries(total), ...Object.entries(more)]) {
    const sum = addValues(sums.get(field), value)
    if (sum !== undefined) sums.set(field, sum)
  }
  return Object.fromEntries(sums)
}

function addValues(total: JsonValue | undefined, value: JsonValue | undefined) {
  if (value === null || value === undefined || Array.isArray(value)) return total
  if (typeof value === 'number' && typeof total === 'number') return total + value
  if (isJsonObject(value)) return addFields(isJsonObject(total) ? total : {}, value)
  return value
}
