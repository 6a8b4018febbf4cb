import type { JsonObject, JsonValue } from '../../json/index.ts'
import { isJsonArray, isJsonObject } from '../../json/index.ts'
import { defaultLimits } from '../limits.ts'
import type { ParameterType, ParameterTypes } from '../parameter-types.ts'
import { decodeJson } from './decode-json.ts'

const isOfType: Readonly<Record<ParameterType, (value: JsonValue) => boolean>> = {
  string: () => false,
  // A larger integer would lose digits, and 1e400 would be infinite: their text says more.
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: isJsonArray,
  null: (value) => value === null,
}

/** Models write `True` as well. */
const BOOLEAN = /^\s*(?:true|false)\s*$/i

/** Reads an argument's text as JSON of the type that its tool expects; text that is none stays text. */
export function coerceArgument(text: string, type: ParameterType): JsonValue {
  if (type === 'string') return text
  const json = type === 'boolean' && BOOLEAN.test(text) ? text.toLowerCase() : text
  const value = decodeJson(json, { maxDepth: defaultLimits.maxDepth })
  return value !== undefined && isOfType[type](value) ? value : text
}

/** Coerces the text values of an object, each by the type of its parameter. */
export function coerceArguments(values: JsonObject, types: ParameterTypes): JsonObject {
  const coerced = Object.entries(values).map(([key, value]): [string, JsonValue] => {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    return [
      key,
      type !== undefined && typeof value === 'string' ? coerceArgument(value, type) : value,
    ]
  })
  return Object.fromEntries(coerced)
}
