import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { toObjectSchema } from './object-schema.ts'

/** Maximum depth of a schema. Model APIs reject schemas long before it. */
const MAX_DEPTH = 64

/**
 * Reads a tool's input schema. Returns undefined if it is longer than `maxChars` or nested too deeply. Removes
 * references to other documents, so that neither this process nor a provider fetches a URL that a server chose.
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

/** Checks for a reference to another document. `$id` gives relative references another base URL. */
function isRemote(key: string, value: JsonValue): boolean {
  if (typeof value !== 'string') return false
  if (key === '$id') return true
  return (key === '$ref' || key === '$dynamicRef') && !value.startsWith('#')
}
