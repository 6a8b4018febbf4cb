import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { toObjectSchema } from './object-schema.ts'

/** Model APIs refuse schemas long before this depth. */
const MAX_DEPTH = 64

/**
 * Reads a tool's input schema; undefined if it is longer than `maxChars` or nested too deeply. References to other
 * documents are removed: nobody here, and no provider, should fetch an address that a server chose.
 */
export function readSchema(value: JsonValue | undefined, maxChars: number): JsonObject | undefined {
  const local = value === undefined ? value : withoutRemote(value, MAX_DEPTH)
  if (local === TOO_DEEP) return undefined
  const schema = toObjectSchema(local)
  return JSON.stringify(schema).length <= maxChars ? schema : undefined
}

const TOO_DEEP = Symbol('too deep')

function withoutRemote(value: JsonValue, depth: number): JsonValue | typeof TOO_DEEP {
  if (!isJsonArray(value) && !isJsonObject(value)) return value
  if (depth === 0) return TOO_DEEP
  if (isJsonArray(value)) {
    const items = value.map((item) => withoutRemote(item, depth - 1))
    return items.every((item) => item !== TOO_DEEP) ? items : TOO_DEEP
  }
  const entries: (readonly [string, JsonValue])[] = []
  for (const [key, item] of Object.entries(value)) {
    if (isRemote(key, item)) continue
    const read = withoutRemote(item, depth - 1)
    if (read === TOO_DEEP) return TOO_DEEP
    entries.push([key, read])
  }
  return Object.fromEntries(entries)
}

/** `$id` and `$schema` can give a relative reference an address of its own. */
function isRemote(key: string, value: JsonValue): boolean {
  if (typeof value !== 'string') return false
  if (key === '$id') return true
  return (key === '$ref' || key === '$dynamicRef') && !value.startsWith('#')
}
