import type { JsonObject } from 'millrace'
import type { SegmentEndPayload, SegmentEvent, SegmentType } from 'millrace/segments'

/** A segment with its deltas joined, which must be the same for every chunking. */
export interface MergedSegment {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: JsonObject
  content: string
  /** Its end; absent while it is open. */
  end?: SegmentEndPayload
}

/** Joins the events of each segment, and checks their order by [SEG-1] and [SEG-2]. */
export function mergeSegments(
  events: readonly SegmentEvent[],
  { mayOverlap = false }: { mayOverlap?: boolean } = {},
): { readonly segments: readonly MergedSegment[]; readonly faults: readonly string[] } {
  const segments = new Map<string, MergedSegment>()
  const faults: string[] = []
  let open = 0
  for (const event of events) {
    const id = event.segment_id
    const segment = segments.get(id)
    if (event.type === 'SEGMENT_START') {
      if (segment !== undefined) faults.push(`${id} starts twice`)
      if (open > 0 && !mayOverlap) faults.push(`${id} starts before the end of the last one`)
      segments.set(id, {
        id,
        type: event.segment_type,
        metadata: event.payload.metadata,
        content: '',
      })
      open++
    } else if (segment === undefined || segment.end !== undefined) {
      faults.push(`${event.type} of ${id}, which is not open`)
    } else if (event.type === 'SEGMENT_CONTENT') {
      faults.push(...deltaFaults(segment, event.payload.delta))
      segment.content += event.payload.delta
    } else {
      segment.end = event.payload
      open--
    }
  }
  for (const { id, end } of segments.values())
    if (end === undefined) faults.push(`${id} has no end`)
  return { segments: [...segments.values()], faults }
}

function deltaFaults({ id, content }: MergedSegment, delta: string): string[] {
  if (delta === '') return [`an empty delta of ${id}`]
  const isTorn = isHighSurrogate(content.charCodeAt(content.length - 1))
  return isTorn && isLowSurrogate(delta.charCodeAt(0)) ? [`a torn character in ${id}`] : []
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
