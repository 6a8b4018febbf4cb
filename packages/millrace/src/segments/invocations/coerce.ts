import type { JsonObject, JsonValue } from '../../json/index.ts'
import { toTypedJson } from '../calls/typed-json.ts'
import { defaultLimits } from '../limits.ts'
import type { ParameterType, ParameterTypes } from '../parameter-types.ts'

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
