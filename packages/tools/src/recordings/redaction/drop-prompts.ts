import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'

/** Fields whose texts describe the structure of a request and contain no user text. */
const structuralFields = new Set([
  'detail',
  'effort',
  'id',
  'media_type',
  'mode',
  'model',
  'name',
  'role',
  'service_tier',
  'tool_call_id',
  'tool_use_id',
  'ttl',
  'type',
])

/** Values that a structural field may hold; any other value is treated as user text. */
const structuralText = /^[\w.:/-]{1,128}$/

/** Stands for every field within the input of a tool, where names are content too. */
const WITHIN_INPUT = 'input.*'

/** Replaces every text of a request by its length; returns undefined if the body is not JSON. */
export function dropPrompts(body: string): string | undefined {
  try {
    return JSON.stringify(dropTexts(JSON.parse(body) as JsonValue, ''))
  } catch {
    return undefined
  }
}

function dropTexts(value: JsonValue, field: string): JsonValue {
  if (typeof value === 'string') {
    const isStructural = structuralFields.has(field) && structuralText.test(value)
    return isStructural ? value : `[${value.length} characters]`
  }
  const isWithin = field === WITHIN_INPUT
  if (isJsonArray(value)) return value.map((item) => dropTexts(item, isWithin ? field : ''))
  return isJsonObject(value) ? dropFields(value, isWithin || field === 'input') : value
}

function dropFields(value: JsonObject, isInput: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      dropTexts(item, isInput ? WITHIN_INPUT : name),
    ]),
  )
}
