import { createSegmentParser } from 'millrace/segments'
import { cutText } from './chunking.ts'
import { toParserOptions } from './lab-settings.ts'
import type { LabSettings } from './lab-settings.ts'

/** Clocks of browsers are coarse and code that is new to them is slow, so a short text is parsed for this long. */
const MEASURED_MS = 20

/** The most parsers that are made ready at once. */
const MAX_BATCH = 256

/** How many microseconds a parser that stands ready spends on a text in its chunks. */
export function measureParsing(settings: LabSettings): number {
  const { text, chunking } = settings
  const options = toParserOptions(settings)
  let from = 0
  const chunks = cutText(text, chunking).map((end) => text.slice(from, (from = end)))
  let total = 0
  for (let batch = 1; ; batch = Math.min(MAX_BATCH, batch * 2)) {
    const parsers = Array.from({ length: batch }, () => createSegmentParser(options))
    const start = performance.now()
    for (const parser of parsers) {
      for (const chunk of chunks) parser.feed(chunk)
      parser.finalize()
    }
    const elapsed = performance.now() - start
    total += elapsed
    if (total >= MEASURED_MS) return (elapsed / batch) * 1_000
  }
}
