import { isJsonObject, type JsonObject, type SchemaIssue } from '../json/index.ts'

/** Predicates of the JSON Schema `type` names. */
const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isJsonObject,
  string: (value) => typeof value === 'string',
}

type Path = readonly (string | number)[]

/**
 * Validates a value against the JSON Schema keywords that model errors concern: types, allowed values, missing and
 * additional properties. Other keywords are left to the tool; a Standard Schema validates all of its own.
 */
export function checkJsonSchema(
  schema: JsonObject,
  value: unknown,
  path: Path = [],
): readonly SchemaIssue[] {
  const own = checkType(schema, value) ?? checkValues(schema, value)
  if (own !== undefined) return [{ message: own, path }]
  if (Array.isArray(value)) return checkItems(schema, value, path)
  return isJsonObject(value) ? checkProperties(schema, value, path) : []
}

function checkType({ type }: JsonObject, value: unknown): string | undefined {
  const names = [type].flat().filter((name) => typeof name === 'string')
  const isFine = names.length === 0 || names.some((name) => typeTests[name]?.(value) !== false)
  return isFine ? undefined : `expected ${names.join(' or ')}, got ${nameOf(value)}`
}

function checkValues(schema: JsonObject, value: unknown): string | undefined {
  const allowed = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(allowed)) return undefined
  const text = JSON.stringify(value)
  const isFine = allowed.some((choice) => JSON.stringify(choice) === text)
  return isFine ? undefined : `expected one of ${JSON.stringify(allowed)}`
}

function checkItems({ items }: JsonObject, values: readonly unknown[], path: Path): SchemaIssue[] {
  if (!isJsonObject(items)) return []
  return values.flatMap((value, index) => checkJsonSchema(items, value, [...path, index]))
}

function checkProperties(schema: JsonObject, value: JsonObject, path: Path): SchemaIssue[] {
  const { properties, required, additionalProperties } = schema
  const known = isJsonObject(properties) ? properties : {}
  const missing = (Array.isArray(required) ? required : [])
    .filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    .map((name) => ({ message: 'is required', path: [...path, String(name)] }))
  const inner = Object.entries(value).flatMap(([name, member]) => {
    const memberPath = [...path, name]
    const memberSchema = Object.hasOwn(known, name) ? known[name] : undefined
    if (isJsonObject(memberSchema)) return checkJsonSchema(memberSchema, member, memberPath)
    const isSurplus = memberSchema === undefined && additionalProperties === false
    return isSurplus ? [{ message: 'is not a known property', path: memberPath }] : []
  })
  return [...missing, ...inner]
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
