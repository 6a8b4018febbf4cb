import { createSegmentParser } from 'millrace/segments'
import { cutText, toParserOptions } from '../settings/index.ts'
import type { LabSettings } from '../settings/index.ts'

/** Clocks of browsers are coarse and code that is new to them is slow, so a short text is parsed for this long. */
const MEASURED_MS = 80

/** The most parsers that are made ready at once. */
const MAX_BATCH = 64

/** How many microseconds a parser that stands ready spends on a text in its chunks. */
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
    // Other work on the machine can only make it longer.
    least = Math.min(least, (performance.now() - start) / parsers.length)
  }
  return least * 1_000
}
