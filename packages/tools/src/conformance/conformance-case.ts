import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { toFlatCase } from './flat-case.ts'

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
