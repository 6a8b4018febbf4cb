import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { z } from 'zod'

/** Shows where two values differ, but fits one line. */
const SHOWN_LENGTH = 160

/** Returns where `found` differs from `expected`: objects may have more fields, arrays must have the same length. */
export function differences(expected: unknown, found: unknown, path = ''): string[] {
  if (Array.isArray(expected)) return arrayDifferences(expected, found, path)
  if (isJsonObject(expected)) return objectDifferences(expected, found, path)
  return Object.is(expected, found) ? [] : [difference(path, expected, found)]
}

function arrayDifferences(expected: readonly unknown[], found: unknown, path: string): string[] {
  if (!Array.isArray(found) || found.length !== expected.length) {
    return [difference(path, expected, found)]
  }
  return expected.flatMap((item, index) => differences(item, found[index], `${path}[${index}]`))
}

function objectDifferences(expected: object, found: unknown, path: string): string[] {
  if (!isJsonObject(found)) return [difference(path, expected, found)]
  return Object.entries(expected).flatMap(([key, value]) =>
    differences(
      value,
      Object.hasOwn(found, key) ? found[key] : undefined,
      path === '' ? key : `${path}.${key}`,
    ),
  )
}

/** Describes the expected and the actual value at a path in one line. */
export function difference(path: string, expected: unknown, found: unknown): string {
  return `${path || 'result'}: expected ${show(expected)}, found ${show(found)}`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= SHOWN_LENGTH
    ? text
    : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`
}

/** Checks whether two values are the same JSON: objects by their own keys, in any order and with any prototype. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => isSameJson(item, right[index]))
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return left === right
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]))
}

/** Checks of expectations by name; each returns the differences. */
export type Expectations<Found> = Readonly<
  Record<string, (wanted: JsonValue, found: Found) => readonly string[]>
>

/** Checks all expectations of a case; an unknown one fails it. */
export function checkExpectations<Found>(
  expected: JsonObject,
  found: Found,
  expectations: Expectations<Found>,
): string[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const expectation = Object.hasOwn(expectations, name) ? expectations[name] : undefined
    return (
      expectation?.(wanted, found) ?? [`${name}: an expectation that this runner does not know`]
    )
  })
}

/** Decodes an output by the schema of its kind; throws with the faults of an invalid one. */
export function decodeOutput<Schema extends z.ZodType>(
  schema: Schema,
  output: JsonObject,
): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(output)
  if (success) return data
  const faults = error.issues.map(
    ({ path, message }) => `${['output', ...path].join('.')}: ${message}`,
  )
  throw new Error(`an invalid output:  ${faults.join('; ')}`)
}
