import type { JsonObject, JsonValue } from 'millrace'

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
