import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** Keywords that combine schemas, and whether all branches apply at once. */
const combinations: Readonly<Record<string, boolean>> = { allOf: true, anyOf: false, oneOf: false }

/**
 * Converts a tool's schema to the form that model APIs accept: an object at the top level without alternatives. It
 * offers the properties of all branches; the server validates their combination.
 */
export function toObjectSchema(value: JsonValue | undefined): JsonObject {
  const schema = isJsonObject(value) ? value : {}
  const { allOf: _all, anyOf: _any, oneOf: _one, properties, required, ...rest } = schema
  const branches = Object.entries(combinations).flatMap(([key, isAll]) =>
    branchesOf(schema[key]).map((branch) => ({ branch, isAll })),
  )
  const offered = [...branches.map(({ branch }) => branch['properties']), properties]
  const needed = branches.filter(({ isAll }) => isAll).map(({ branch }) => branch['required'])
  const names = [required, ...needed].flatMap(stringsOf)
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(offered.flatMap(entriesOf)),
    ...(names.length > 0 && { required: [...new Set(names)] }),
  }
}

function branchesOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(value) ? Object.entries(value) : []
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : []
}
