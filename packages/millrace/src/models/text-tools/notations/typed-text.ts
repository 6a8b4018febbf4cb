import { isJsonObject, type JsonValue } from '../../../json/index.ts'
import type { ParameterType } from '../../../segments/index.ts'

const tests: Readonly<Record<ParameterType, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  // A larger one is read as text, because it would lose digits.
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isJsonObject(value),
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
}

/** Checks whether a value written as text is read back unchanged: without a type it is read as a string. */
export function isReadBack(value: JsonValue, type: ParameterType = 'string'): boolean {
  return tests[type](value)
}

/** A lone surrogate, which no text encoding can carry. */
export const LONE_SURROGATE = /\p{Surrogate}/u
