import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** The JSON types of an argument. */
export type ParameterType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | 'null'

/** The type of each parameter of a tool; other parameters stay as written. */
export type ParameterTypes = Readonly<Record<string, ParameterType>>

/** The parameters of each tool, by its name, so that text values get the type of their parameter. */
export type ToolParameters = Readonly<Record<string, ParameterTypes>>

const parameterTypes: readonly JsonValue[] = [
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'null',
] satisfies ParameterType[]

/** Derives the types of a tool's parameters from its JSON Schema; parameters without a single type are omitted. */
export function toParameterTypes(schema: JsonObject): ParameterTypes {
  const { properties } = schema
  if (!isJsonObject(properties)) return {}
  const typed = Object.entries(properties).flatMap(([key, property]): [string, ParameterType][] => {
    const type = toParameterType(property)
    return type === undefined ? [] : [[key, type]]
  })
  return Object.fromEntries(typed)
}

function toParameterType(schema: JsonValue): ParameterType | undefined {
  if (!isJsonObject(schema)) return undefined
  const { type, const: constant, enum: values, anyOf, oneOf } = schema
  if (isParameterType(type)) return type
  if (isJsonArray(type)) return notNull(type.filter(isParameterType))[0]
  if (constant !== undefined) return toCommonType([constant].map(toTypeOf))
  if (isJsonArray(values)) return toCommonType(values.map(toTypeOf))
  const variants = isJsonArray(anyOf) ? anyOf : oneOf
  return isJsonArray(variants) ? toCommonType(variants.map(toParameterType)) : undefined
}

/** Returns the common type, ignoring null; an integer among numbers is a number. */
function toCommonType(types: readonly (ParameterType | undefined)[]): ParameterType | undefined {
  const distinct = [...new Set(notNull(types))]
  if (distinct.length === 1) return distinct[0]
  const areNumbers = distinct.every((type) => type === 'integer' || type === 'number')
  return areNumbers && distinct.length > 0 ? 'number' : undefined
}

/** Null is ignored next to another type. */
function notNull<T extends ParameterType | undefined>(types: readonly T[]): readonly T[] {
  const others = types.filter((type) => type !== 'null')
  return others.length > 0 ? others : types
}

function toTypeOf(value: JsonValue): ParameterType {
  if (value === null) return 'null'
  if (isJsonArray(value)) return 'array'
  if (isJsonObject(value)) return 'object'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'string' ? 'string' : 'boolean'
}

function isParameterType(type: JsonValue | undefined): type is ParameterType {
  return type !== undefined && parameterTypes.includes(type)
}
