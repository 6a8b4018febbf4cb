import { createSegmentParser } from 'millrace/segments'
import { cutText, toParserOptions } from '../settings/index.ts'
import type { LabSettings } from '../settings/index.ts'

/** The duration of a measurement: clocks of browsers are coarse, and new code is slow. */
const MEASURED_MS = 80

/** The number of parsers that are created in advance. */
const MAX_BATCH = 64

/** Measures the microseconds that a parser takes for a text in chunks. */
export function measureParsing(settings: LabSettings): number {
  const { text, chunking } = settings
  const options = toParserOptions(settings)
  let from = 0
  const chunks = cutText(text, chunking).map((end) => text.slice(from, (from = end)))
  const begin = performance.now()
  let least = Infinity
  for (let batch = 1; performance.now() - begin < MEASURED_MS; batch *= 2) {
    const parsers = Array.from({ length: Math.min(MAX_BATCH, batch) }, () =>
      createSegmentParser(options),
    )
    const start = performance.now()
    for (const parser of parsers) {
      for (const chunk of chunks) parser.feed(chunk)
      parser.finalize()
    }
    // Other work of the machine can only add time.
    least = Math.min(least, (performance.now() - start) / parsers.length)
  }
  return least * 1_000
}
