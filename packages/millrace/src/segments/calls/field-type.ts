import type { ParameterType, ParameterTypes } from '../parameter-types.ts'

/** What the text of a field may stand for: a value of a type, or whatever JSON it is. */
export type FieldType = ParameterType | 'json'

/** The type of a parameter, if the table has it as its own. */
export function toFieldType(types: ParameterTypes, key: string): FieldType | undefined {
  return Object.hasOwn(types, key) ? types[key] : undefined
}
