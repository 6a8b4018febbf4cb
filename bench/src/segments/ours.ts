import {
  createSegmentParser,
  createStreamingResponseHandler,
  type SegmentEvent,
  type SegmentParserOptions,
} from 'millrace/segments'
import { demandContent, type Runner } from './workload.ts'

function lengthOf(events: readonly SegmentEvent[]): number {
  let length = 0
  for (const event of events)
    if (event.type === 'SEGMENT_CONTENT') length += event.payload.delta.length
  return length
}

/** Our parser and our handler with the same options. */
export function millrace(options: SegmentParserOptions): readonly [Runner, Runner] {
  return [millraceParser(options), millraceHandler(options)]
}

/** Text to segment events. */
export function millraceParser(options: SegmentParserOptions): Runner {
  return {
    name: 'millrace parser',
    role: 'parser',
    prepare: (chunks, sample) => () => {
      const parser = createSegmentParser(options)
      let length = 0
      for (const chunk of chunks) length += lengthOf(parser.feed(chunk))
      length += lengthOf(parser.finalize())
      demandContent(length, sample, 'millrace')
    },
  }
}

/** Text to segment events and invocations. */
export function millraceHandler(options: SegmentParserOptions): Runner {
  return {
    name: 'millrace handler',
    role: 'handler',
    prepare: (chunks, sample) => () => {
      let length = 0
      let calls = 0
      const onInvocation = () => calls++
      const handler = createStreamingResponseHandler({ ...options, onInvocation })
      for (const chunk of chunks) length += lengthOf(handler.feed(chunk))
      length += lengthOf(handler.finalize())
      demandContent(length, sample, 'millrace')
      return calls
    },
  }
}
