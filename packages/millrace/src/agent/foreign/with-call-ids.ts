import { isJsonArray, isJsonObject, type JsonValue } from '../../json/index.ts'

/** The members that hold the id of a call, in the forms of all libraries. */
const idNames = new Set(['toolCallId', 'callId'])

/** Replaces ids of calls in the items after the first `known`, so that the loop finds the ids that were shown. */
export function withCallIds(
  items: readonly JsonValue[],
  ids: ReadonlyMap<string, string>,
  known: number,
): readonly JsonValue[] {
  if (ids.size === 0) return items
  return items.map((item, index) => (index < known ? item : replace(item, ids)))
}

function replace(value: JsonValue, ids: ReadonlyMap<string, string>): JsonValue {
  if (isJsonArray(value)) return value.map((one) => replace(one, ids))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    const id = idNames.has(name) && typeof member === 'string' ? ids.get(member) : undefined
    return [name, id ?? replace(member, ids)] as const
  })
  return Object.fromEntries(members)
}
