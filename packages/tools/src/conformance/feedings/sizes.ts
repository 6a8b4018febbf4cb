import { decodeEnvelope, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { difference } from '../differences.ts'

/** The sizes of encoded envelopes, in bytes of UTF-8. */
interface Size {
  messages: number
  /** Of all encoded lines, without their framing. */
  bytes: number
  /** Of the longest line. */
  largest_line: number
  /** Of all deltas. */
  payload_bytes: number
}

/** Compares the sizes of encoded envelopes, by type or of `all`, with the numbers or ranges of a case. */
export function compareSizes(wanted: JsonValue, lines: readonly string[]): string[] {
  const sizes = measure(lines)
  return Object.entries(objectOf(wanted)).flatMap(([type, ranges]) =>
    Object.entries(objectOf(ranges)).flatMap(([measured, range]) => {
      const size = sizes.get(type) ?? noSize()
      const path = `sizes.${type}.${measured}`
      if (!Object.hasOwn(size, measured)) return [`${path}: not known to this runner`]
      return compareRange(range, size[measured as keyof Size], path)
    }),
  )
}

/** A range is a number, or an object with `at_least`, `at_most` or both. */
function compareRange(range: JsonValue, found: number, path: string): string[] {
  if (typeof range === 'number') return range === found ? [] : [difference(path, range, found)]
  const { at_least: least = 0, at_most: most = Infinity, ...unknown } = objectOf(range)
  const isKnown = isJsonObject(range) && Object.keys(unknown).length === 0
  if (!isKnown || typeof least !== 'number' || typeof most !== 'number')
    return [`${path}: a range that this runner does not know`]
  return found >= least && found <= most ? [] : [difference(path, range, found)]
}

function measure(lines: readonly string[]): ReadonlyMap<string, Size> {
  const sizes = new Map<string, Size>()
  for (const line of lines) {
    const { type, delta } = decodeEnvelope(line)
    for (const key of [type, 'all']) {
      const size = sizes.get(key) ?? noSize()
      sizes.set(key, size)
      const bytes = Buffer.byteLength(line)
      size.messages++
      size.bytes += bytes
      size.largest_line = Math.max(size.largest_line, bytes)
      size.payload_bytes += Buffer.byteLength(delta)
    }
  }
  return sizes
}

function noSize(): Size {
  return { messages: 0, bytes: 0, largest_line: 0, payload_bytes: 0 }
}

function objectOf(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {}
}
