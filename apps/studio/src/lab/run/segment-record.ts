import { countBelow } from './count-below.ts'
import type { SegmentEndPayload, SegmentEvent, SegmentStart, SegmentType } from 'millrace/segments'

/** A segment with the event numbers of its parts. */
export interface SegmentRecord {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: SegmentStart['payload']['metadata']
  /** Number of the event that started it. */
  readonly startedAt: number
  /** Number of the event that ended it, and its payload. */
  readonly endedAt: number
  readonly end: SegmentEndPayload
  readonly content: string
  /** Number of each event with content, and the length of the content after it. */
  readonly emittedAt: readonly number[]
  readonly lengths: readonly number[]
}

/** State of a segment. */
export type SegmentState = 'open' | 'complete' | 'incomplete' | 'malformed' | 'repaired'

/** Converts a list of events to segments. */
export function recordSegments(events: readonly SegmentEvent[]): readonly SegmentRecord[] {
  const drafts = new Map<string, Draft>()
  for (const [index, event] of events.entries()) {
    if (event.type === 'SEGMENT_START') drafts.set(event.segment_id, startDraft(event, index))
    else {
      const draft = drafts.get(event.segment_id)
      if (draft !== undefined) addToDraft(draft, event, index)
    }
  }
  return [...drafts.values()].map(({ parts, ...draft }) => ({ ...draft, content: parts.join('') }))
}

interface Draft {
  readonly id: string
  readonly type: SegmentType
  readonly metadata: SegmentStart['payload']['metadata']
  readonly startedAt: number
  readonly parts: string[]
  readonly emittedAt: number[]
  readonly lengths: number[]
  endedAt: number
  end: SegmentEndPayload
}

function startDraft({ segment_id, segment_type, payload }: SegmentStart, index: number): Draft {
  return {
    id: segment_id,
    type: segment_type,
    metadata: payload.metadata,
    startedAt: index,
    parts: [],
    emittedAt: [],
    lengths: [],
    endedAt: Infinity,
    end: {},
  }
}

function addToDraft(draft: Draft, event: Exclude<SegmentEvent, SegmentStart>, index: number): void {
  if (event.type === 'SEGMENT_END') {
    draft.endedAt = index
    draft.end = event.payload
    return
  }
  const { delta } = event.payload
  draft.parts.push(delta)
  draft.emittedAt.push(index)
  draft.lengths.push((draft.lengths.at(-1) ?? 0) + delta.length)
}

/** Returns the content of a segment after a number of events. */
export function contentAfter(
  { content, emittedAt, lengths }: SegmentRecord,
  events: number,
): string {
  return content.slice(0, lengths[countBelow(emittedAt, events, Number) - 1] ?? 0)
}

/** Returns the state of a segment after a number of events. */
export function stateAfter({ endedAt, end }: SegmentRecord, events: number): SegmentState {
  if (endedAt >= events) return 'open'
  if (end.malformed === true) return 'malformed'
  if (end.complete === false) return 'incomplete'
  return end.repaired === true ? 'repaired' : 'complete'
}
