import type { JsonObject, JsonValue } from '../../json/index.ts'
import { toTypedJson } from '../calls/typed-json.ts'
import type { ParameterType, ParameterTypes } from '../parameter-types.ts'

/** Reads an argument's text as JSON of the type that its tool expects; text that is none stays text. */
export function coerceArgument(text: string, type: ParameterType): JsonValue {
  const typed = toTypedJson(text, type)
  return typed === undefined ? text : typed.value
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
