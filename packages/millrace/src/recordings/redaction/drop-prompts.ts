import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

/** Fields whose texts say how a request is built and nothing that a person wrote. */
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

/** What such a field may hold; anything else is a text after all. */
const structuralText = /^[\w.:/-]{1,128}$/

/** Stands for every field within the input of a tool, where also what is called a name is content. */
const WITHIN_INPUT = 'input.*'

/** Replaces every text of a request by its length; gives nothing where the body is not JSON. */
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
