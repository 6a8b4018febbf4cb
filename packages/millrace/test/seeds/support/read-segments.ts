import {
  createSegmentParser,
  type SegmentEvent,
  type SegmentParserOptions,
} from '../../../src/segments/index.ts'

/** A segment with its deltas joined. */
export interface WholeSegment {
  readonly id: string
  readonly type: string
  readonly metadata: unknown
  content: string
  end?: unknown
}

/** The events of a text, fed whole or character by character. */
export function eventsOf(
  text: string,
  options: SegmentParserOptions = {},
  isWhole = false,
): SegmentEvent[] {
  const parser = createSegmentParser({ environment: {}, ...options })
  const pieces = isWhole ? [text] : Array.from(text)
  return [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.finalize()]
}

/** Joins the events of segments that do not overlap. */
export function joinEvents(events: readonly SegmentEvent[]): WholeSegment[] {
  const segments = new Map<string, WholeSegment>()
  for (const event of events) {
    const id = event.segment_id
    if (event.type === 'SEGMENT_START') {
      const { metadata } = event.payload
      segments.set(id, { id, type: event.segment_type, metadata, content: '' })
      continue
    }
    const segment = segments.get(id)
    if (segment === undefined) throw new Error(`${event.type} before SEGMENT_START of ${id}.`)
    if (event.type === 'SEGMENT_CONTENT') segment.content += event.payload.delta
    else segment.end = event.payload
  }
  return [...segments.values()]
}

/** The segments of a text. */
export function segmentsOf(text: string, options: SegmentParserOptions = {}): WholeSegment[] {
  return joinEvents(eventsOf(text, options))
}
