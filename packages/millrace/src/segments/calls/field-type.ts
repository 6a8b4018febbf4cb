import type { ParameterType, ParameterTypes } from '../parameter-types.ts'

/** Type of a field's text: a parameter type, or any JSON. */
export type FieldType = ParameterType | 'json'

/** Returns the type of a parameter, if it is an own property of the table. */
export function toFieldType(types: ParameterTypes, key: string): FieldType | undefined {
  return Object.hasOwn(types, key) ? types[key] : undefined
}
