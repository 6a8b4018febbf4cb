import { createPartialJson } from '../../../json/index.ts'
import { findCallName } from '../../invocations/call-shapes.ts'
import { code } from '../../characters.ts'
import type { Reader, Reading } from '../reader.ts'

/** Maximum depth of a call. Every bracket in `{"a":{"a":{` may begin a call, and is probed to this depth. */
const MAX_DEPTH = 16

/** Characters at which the structure of a value can change, outside strings. */
const STRUCTURE = '"{}[],:'

/**
 * Looks ahead in JSON for the name of its first call, until the name and the key of its arguments are found;
 * returns undefined if it is not a call, or none within `limits.maxProbe`.
 */
export function* probeCall(reader: Reader): Reading<string | undefined> {
  const json = createPartialJson({ maxDepth: Math.min(MAX_DEPTH, reader.limits.maxDepth) })
  const limit = reader.position + reader.limits.maxProbe
  let inString = false
  while (reader.position < limit) {
    const unit = yield* reader.peek()
    if (unit === -1) return undefined
    const char = String.fromCharCode(unit)
    if (inString && unit === code.backslash) {
      json.feed(char)
      reader.position++
      const next = yield* reader.peek()
      if (next === -1) return undefined
      json.feed(String.fromCharCode(next))
    } else {
      json.feed(char)
      if (unit === code.quote) inString = !inString
    }
    reader.position++
    if (json.status === 'failed') return undefined
    if (inString || !STRUCTURE.includes(char)) continue
    const name = findCallName(json.value, { whole: json.status === 'complete' })
    if (name !== undefined) return name
    if (json.status === 'complete') return undefined
  }
  return undefined
}
