import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'
import { MillraceError } from '../../errors/index.ts'

/** One conformance case, as a line of a case file has it. */
export interface ConformanceCase {
  readonly name: string
  readonly kind: string
  readonly input: JsonObject
  readonly expected: JsonObject
}

/** Reads the cases of one file; `{"repeat": s, "n": k}` stands for `s` repeated `k` times. */
export function parseCases(text: string, file: string): ConformanceCase[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => toCase(parseLine(line, place), place))
}

function parseLine(line: string, place: string): JsonValue {
  try {
    return expand(JSON.parse(line) as JsonValue)
  } catch (cause) {
    throw new MillraceError(
      'bad_request',
      `${place} is not JSON; a case file has one JSON object a line.`,
      { cause },
    )
  }
}

function toCase(value: JsonValue, place: string): ConformanceCase {
  if (isJsonObject(value)) {
    const { name, kind, input, expected } = value
    const isCase = typeof name === 'string' && isJsonObject(input) && isJsonObject(expected)
    if (isCase && typeof kind === 'string') return { name, kind, input, expected }
    // The case files of segments and formats have no kind; the runner names what it does not support.
    if (typeof name === 'string')
      return { name, kind: String(kind ?? 'segments'), input: {}, expected: {} }
  }
  throw new MillraceError(
    'bad_request',
    `${place} is not a case; it needs name, kind, input and expected.`,
  )
}

function expand(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(expand)
  if (!isJsonObject(value)) return value
  const { repeat, n } = value
  if (typeof repeat === 'string' && typeof n === 'number') return repeat.repeat(n)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]))
}
