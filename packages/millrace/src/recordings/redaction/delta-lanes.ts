import {
  createSecretScanner,
  type SecretScanner,
  type SecretScannerOptions,
} from '../../outbound/index.ts'
import { createFieldReader } from './field-reader.ts'

/** Fields in which the APIs send a text in chunks. */
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

/** Maximum number of texts scanned in parallel; later ones share one scanner. */
const maxPlaces = 64

/**
 * Scans the texts that a stream of events carries in chunks as if they were whole: a model that repeats an API key
 * sends it in several deltas, none of which looks like one. Deltas of one field are scanned together, and also by
 * the indices of their events, because several answers may be streamed at once, and because not every server
 * numbers them correctly.
 */
export function createDeltaLanes(options: SecretScannerOptions): SecretScanner {
  const lanes = new Map<string, SecretScanner>()

  function laneOf(key: string): SecretScanner {
    const lane = lanes.get(key) ?? createSecretScanner(options)
    lanes.set(key, lane)
    return lane
  }

  const fields = createFieldReader((field, place) => {
    if (!deltaFields.has(field)) return undefined
    const shared = laneOf(field)
    const key = `${field}${place}`
    if (place === '' || (!lanes.has(key) && lanes.size >= maxPlaces)) return shared.feed
    const own = laneOf(key)
    return (code, from, to) => {
      shared.feed(code, from, to)
      own.feed(code, from, to)
    }
  })
  return {
    feed: fields.feed,
    // Only those that wait too long: another one may be in the middle of an API key.
    settle(before) {
      for (const lane of lanes.values()) lane.settle(before)
    },
    heldFrom() {
      let first = fields.heldFrom()
      for (const lane of lanes.values()) first = Math.min(first, lane.heldFrom())
      return first
    },
  }
}
