import {
  createSecretScanner,
  type SecretScanner,
  type SecretScannerOptions,
} from 'millrace/redaction'
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
const maxScanners = 64

/**
 * Scans the texts that a stream of events carries in chunks as if they were whole: a model that repeats an API key
 * sends it in several deltas, none of which looks like one. Deltas of one field are scanned together, and also by
 * the indices of their events, because several answers may be streamed at once, and because not every server
 * numbers them correctly.
 */
export function createDeltaScanner(options: SecretScannerOptions): SecretScanner {
  const scanners = new Map<string, SecretScanner>()

  function scannerOf(key: string): SecretScanner {
    const scanner = scanners.get(key) ?? createSecretScanner(options)
    scanners.set(key, scanner)
    return scanner
  }

  const fields = createFieldReader((field, indices) => {
    if (!deltaFields.has(field)) return undefined
    const shared = scannerOf(field)
    const key = `${field}${indices}`
    if (indices === '' || (!scanners.has(key) && scanners.size >= maxScanners)) return shared.feed
    const own = scannerOf(key)
    return (code, from, to) => {
      shared.feed(code, from, to)
      own.feed(code, from, to)
    }
  })
  return {
    feed: fields.feed,
    // Only those that wait too long: another one may be in the middle of an API key.
    flush(before) {
      for (const scanner of scanners.values()) scanner.flush(before)
    },
    pendingFrom() {
      let first = fields.pendingFrom()
      for (const scanner of scanners.values()) first = Math.min(first, scanner.pendingFrom())
      return first
    },
  }
}
