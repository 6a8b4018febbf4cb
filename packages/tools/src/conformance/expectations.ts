import type { JsonObject, JsonValue } from 'millrace'

/** What expectations demand of what was found, by their names; each answer lists what differs. */
export type Expectations<Found> = Readonly<
  Record<string, (wanted: JsonValue, found: Found) => readonly string[]>
>

/** Checks all that a case expects; an expectation that is not in the table fails it. */
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
