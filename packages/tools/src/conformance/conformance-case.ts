import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'

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

/** The kind of a line that is not a valid case. */
export const UNREADABLE = 'unreadable'

/** One conformance case, as in a line of a case file. */
export interface ConformanceCase {
  readonly name: string
  readonly kind: string
  readonly input: JsonObject
  readonly expected: JsonObject
}

/** Parses the cases of one file; `{"repeat": s, "n": k}` stands for `s` repeated `k` times. */
export function parseCases(text: string): ConformanceCase[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line, index) => ({ line, place: `line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => parseCase(line) ?? unreadable(place))
}

function parseCase(line: string): ConformanceCase | undefined {
  const value = parseJson(line)
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return undefined
  const { name, kind, input, expected } = value
  if (input === undefined) {
    const flat = toFlatCase(value)
    return flat === undefined ? undefined : { name, ...flat }
  }
  if (typeof kind !== 'string' || !isJsonObject(input) || !isJsonObject(expected)) return undefined
  return { name, kind, input, expected }
}

/** An invalid line counts as a failed case, so that the others still run. */
function unreadable(place: string): ConformanceCase {
  return { name: place, kind: UNREADABLE, input: {}, expected: {} }
}

function parseJson(line: string): JsonValue | undefined {
  try {
    return expand(JSON.parse(line) as JsonValue)
  } catch {
    return undefined
  }
}

function expand(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(expand)
  if (!isJsonObject(value)) return value
  const { repeat, n } = value
  if (typeof repeat === 'string' && typeof n === 'number') return repeat.repeat(n)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]))
}

/** A flat line without its name, as the input and the expectation of a case. */
interface FlatCase {
  readonly kind: string
  readonly input: JsonObject
  readonly expected: JsonObject
}

interface FlatKind {
  readonly kind: string
  matches(fields: JsonObject): boolean
  toInput(fields: JsonObject): JsonObject
}

/** Converts a line of segments, native calls or formats to a case; undefined for other lines. */
function toFlatCase(fields: JsonObject): FlatCase | undefined {
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
