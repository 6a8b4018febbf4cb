import {
  createSecretScanner,
  type SecretScanner,
  type SecretScannerOptions,
} from '../../outbound/index.ts'
import { createFieldReader } from './field-reader.ts'

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

/** Texts that are streamed beside each other; of more, those that come later are read as one. */
const maxPlaces = 64

/**
 * Reads the texts that a stream of events carries in pieces as if they were whole: a model that repeats a key
 * says it in several deltas, none of which looks like one. Those of one field are read together, and also by the
 * indices of their events, because several answers may come at once, and because not every server numbers them well.
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
    // Only those that wait too long: another one may be in the middle of a key.
    flush(before) {
      for (const lane of lanes.values()) lane.flush(before)
    },
    pendingFrom() {
      let first = fields.pendingFrom()
      for (const lane of lanes.values()) first = Math.min(first, lane.pendingFrom())
      return first
    },
  }
}
