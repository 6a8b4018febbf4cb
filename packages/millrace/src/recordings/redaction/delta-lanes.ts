import { createFieldReader } from './field-reader.ts'
import { createSecretScanner, type SecretScanner } from './secret-scanner.ts'
import type { SecretScannerOptions } from './word-reader.ts'

/** The fields in which the APIs send a text piece by piece. */
const deltaFields = new Set([
  'arguments',
  'content',
  'delta',
  'partial_json',
  'reasoning',
  'reasoning_content',
  'refusal',
  'response',
  'summary',
  'text',
  'thinking',
  'transcript',
])

/**
 * Reads the texts that a stream of events carries in pieces as if they were whole: a model that repeats a key
 * says it in several deltas, none of which looks like one.
 */
export function createDeltaLanes(options: SecretScannerOptions): SecretScanner {
  const lanes = new Map<string, SecretScanner>()
  const fields = createFieldReader((field) => {
    if (!deltaFields.has(field)) return undefined
    const lane = lanes.get(field) ?? createSecretScanner(options)
    lanes.set(field, lane)
    return lane.feed
  })
  return {
    feed: fields.feed,
    settle() {
      for (const lane of lanes.values()) lane.settle()
    },
    heldFrom() {
      let first = fields.heldFrom()
      for (const lane of lanes.values()) first = Math.min(first, lane.heldFrom())
      return first
    },
  }
}
