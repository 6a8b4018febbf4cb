import {
  isJsonObject,
  type JsonValue,
  createPartialJson,
  type JsonObject,
} from '../../json/index.ts'
import type { ParameterType, ParameterTypes } from '../parameter-types.ts'
import { defaultLimits } from '../limits.ts'

/** Type of a field's text: a parameter type, or any JSON. */
export type FieldType = ParameterType | 'json'

/** Returns the type of a parameter, if it is an own property of the table. */
export function toFieldType(types: ParameterTypes, key: string): FieldType | undefined {
  return Object.hasOwn(types, key) ? types[key] : undefined
}

const holds: Readonly<Record<FieldType, (value: JsonValue) => boolean>> = {
  string: () => false,
  // A larger integer would lose digits, and 1e400 would be infinite: their text is more exact.
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isJsonObject(value),
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
  json: () => true,
}

/** Common spellings of booleans, in lower case. */
const switches: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['0', 'false'],
])

/** Parses the text of a field as JSON of its type; undefined if it is not, nests too deeply, or is a string. */
export function toTypedJson(
  text: string,
  type: FieldType,
  maxDepth: number,
): { readonly json: string; readonly value: JsonValue } | undefined {
  if (type === 'string') return undefined
  const trimmed = text.trim()
  const json = (type === 'boolean' && switches.get(trimmed.toLowerCase())) || trimmed
  const value = decodeJson(json, { maxDepth })
  return value !== undefined && holds[type](value) ? { json, value } : undefined
}

interface DecodeJsonOptions {
  /** Deeper nesting is rejected, so that code that walks the value has a bound. */
  readonly maxDepth: number
  /** Whether to complete a text that was cut. */
  readonly truncated?: boolean
}

/** Parses a JSON text, or returns undefined if it is invalid: text of a model never throws. */
export function decodeJson(
  text: string,
  { maxDepth, truncated = false }: DecodeJsonOptions,
): JsonValue | undefined {
  const reader = createPartialJson({ maxDepth })
  reader.feed(text)
  if (!truncated) reader.finish()
  return truncated || reader.status === 'complete' ? reader.value : undefined
}

/** Parses an argument's text as JSON of the parameter's type; other text stays text. */
export function coerceArgument(
  text: string,
  type: ParameterType,
  maxDepth = defaultLimits.maxDepth,
): JsonValue {
  const typed = toTypedJson(text, type, maxDepth)
  return typed === undefined ? text : typed.value
}

/** Converts the text values of an object, each to the type of its parameter. */
export function coerceArguments(
  values: JsonObject,
  types: ParameterTypes,
  maxDepth = defaultLimits.maxDepth,
): JsonObject {
  const coerced = Object.entries(values).map(([key, value]): [string, JsonValue] => {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    return [
      key,
      type !== undefined && typeof value === 'string'
        ? coerceArgument(value, type, maxDepth)
        : value,
    ]
  })
  return Object.fromEntries(coerced)
}
