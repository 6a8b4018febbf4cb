import {
  createSecretScanner,
  registeredWords,
  type SecretScanner,
  type SecretScannerOptions,
} from 'millrace/redaction'
import type { RecordedChunk } from '../recording.ts'
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

interface BodyRedactorOptions {
  /** Texts that are always secret. */
  readonly known?: readonly string[]
  /** Whether the body may be a stream of events, whose deltas are scanned together. */
  readonly hasDeltas?: boolean
  /** Receives each chunk once all its secrets are masked. */
  readonly emit: (chunk: RecordedChunk) => void
  /** Maximum number of bytes held until it is certain that no secret begins in them. */
  readonly maxHeldBytes?: number
}

/** Masks secrets in a body that arrives in chunks; lengths and boundaries stay the same. */
export type BodyRedactor = ReturnType<typeof createBodyRedactor>

interface HeldChunk {
  readonly chunk: RecordedChunk
  readonly from: number
}

const ASTERISK = 0x2a

/** Creates a redactor of a body that arrives in chunks. */
export function createBodyRedactor({
  known = [],
  hasDeltas = false,
  emit,
  maxHeldBytes = 65_536,
}: BodyRedactorOptions) {
  const held: HeldChunk[] = []
  let size = 0

  function mask(from: number, to: number): void {
    for (let index = held.length - 1; index >= 0; index--) {
      const { chunk, from: base } = held[index] as HeldChunk
      chunk.bytes.fill(ASTERISK, Math.max(from - base, 0), Math.max(to - base, 0))
      if (base <= from) return
    }
  }

  const secrets = { known: [...known, ...registeredWords()], mask }
  const scanners = [createSecretScanner(secrets)]
  if (hasDeltas) scanners.push(createDeltaScanner(secrets))

  function release(before: number): void {
    let count = 0
    for (const { chunk, from } of held) {
      if (from + chunk.bytes.length > before) break
      count++
      emit(chunk)
    }
    held.splice(0, count)
  }

  return {
    feed({ ms, bytes }: RecordedChunk) {
      // A copy: the same bytes are being sent to the client.
      held.push({ chunk: { ms, bytes: new Uint8Array(bytes) }, from: size })
      // By index: an iterator over bytes takes several times as long.
      for (let at = 0; at < bytes.length; at++, size++) {
        const code = bytes[at] ?? 0
        for (const scanner of scanners) scanner.feed(code, size, size + 1)
      }
      for (const scanner of scanners) scanner.flush(size - maxHeldBytes)
      release(Math.min(...scanners.map((scanner) => scanner.pendingFrom())))
    },
    finish() {
      for (const scanner of scanners) scanner.flush()
      release(Infinity)
    },
  }
}

/**
 * Scans the texts that a stream of events carries in chunks as if they were whole: a model that repeats an API key
 * sends it in several deltas, none of which looks like one. Deltas of one field are scanned together, and also by
 * the indices of their events, because several answers may be streamed at once, and because not every server
 * numbers them correctly.
 */
function createDeltaScanner(options: SecretScannerOptions): SecretScanner {
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
