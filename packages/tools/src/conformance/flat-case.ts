import type { JsonObject, JsonValue } from 'millrace'

/** What a flat line holds besides its name, in the two halves that every case has. */
export interface FlatCase {
  readonly kind: string
  readonly input: JsonObject
  readonly expected: JsonObject
}

interface FlatKind {
  readonly kind: string
  matches(fields: JsonObject): boolean
  toInput(fields: JsonObject): JsonObject
}

/** The kinds whose lines have no `input`; a line that does not name its kind is of the first that matches. */
const flatKinds: readonly FlatKind[] = [
  {
    kind: 'native_tool_calls',
    matches: ({ strategy, chunks }) => strategy === 'api_tool_call:deltas' && Array.isArray(chunks),
    toInput: ({ chunks = [] }) => ({ chunks }),
  },
  {
    kind: 'segments',
    matches: ({ strategy, chunks }) => typeof strategy === 'string' && areStrings(chunks),
    toInput: ({ strategy = '', chunks = [], options }) => ({
      strategy,
      chunks,
      ...(options === undefined ? {} : { options }),
    }),
  },
  {
    kind: 'formats',
    matches: ({ format, text }) => typeof format === 'string' && typeof text === 'string',
    toInput: ({ format = '', text = '', options = {} }) => ({ format, text, options }),
  },
]

/** Brings a line of segments, native calls or formats into the form of all cases; undefined if it is none. */
export function toFlatCase(fields: JsonObject): FlatCase | undefined {
  const { kind, expected, invocations, hidden } = fields
  if (!Array.isArray(expected)) return undefined
  const found = flatKinds.find(
    (flat) => (kind === undefined || kind === flat.kind) && flat.matches(fields),
  )
  if (found === undefined) return undefined
  return {
    kind: found.kind,
    input: found.toInput(fields),
    expected: {
      segments: expected,
      ...(invocations === undefined ? {} : { invocations }),
      ...(hidden === undefined ? {} : { hidden }),
    },
  }
}

function areStrings(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
