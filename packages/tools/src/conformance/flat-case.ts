import type { JsonObject, JsonValue } from 'millrace'

/** A flat line without its name, as the input and the expectation of a case. */
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

/** The kinds whose lines have no `input`; a line without a kind has the first one that matches. */
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

/** Converts a line of segments, native calls or formats to a case; undefined for other lines. */
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
