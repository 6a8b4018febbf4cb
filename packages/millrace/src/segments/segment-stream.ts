import { createSegmentParser, type SegmentParserOptions } from './parser.ts'
import type { SegmentEvent } from './segment-event.ts'

/** Creates a stream from text to segment events, with its own parser. */
export function createSegmentStream(
  options: SegmentParserOptions = {},
): TransformStream<string, SegmentEvent> {
  const parser = createSegmentParser(options)
  return new TransformStream({
    transform(text, controller) {
      for (const event of parser.feed(text)) controller.enqueue(event)
    },
    flush(controller) {
      for (const event of parser.finalize()) controller.enqueue(event)
    },
  })
}
