import type { SegmentEndPayload, SegmentEvent, SegmentType } from '../../../src/segments/index.ts'
import type { JsonObject } from '../../../src/json/index.ts'

/** A segment with the content of all of its events. */
export interface JoinedSegment {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: JsonObject
  content: string
  end?: SegmentEndPayload
}

/** Joins events by segment, in the order of their starts, and fails for an invalid order. */
export function joinSegments(events: Iterable<SegmentEvent>): JoinedSegment[] {
  const segments = new Map<string, JoinedSegment>()
  for (const event of events) {
    const id = event.segment_id
    if (event.type === 'SEGMENT_START') {
      if (segments.has(id)) throw new Error(`A second start of ${id}.`)
      const { metadata } = event.payload
      segments.set(id, { id, type: event.segment_type, metadata, content: '' })
      continue
    }
    const segment = segments.get(id)
    if (segment === undefined || segment.end !== undefined) throw new Error(`${id} is not open.`)
    if (event.type === 'SEGMENT_END') segment.end = event.payload
    else segment.content += checkDelta(event.payload.delta)
  }
  return [...segments.values()]
}

function checkDelta(delta: string): string {
  if (delta === '') throw new Error('An empty delta.')
  return delta
}
