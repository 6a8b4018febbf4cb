import { createInvocationReader } from 'millrace/segments'
import type { SegmentEvent, SegmentType, ToolInvocation } from 'millrace/segments'
import { stateAfter } from './segment-record.ts'
import type { SegmentRecord, SegmentState } from './segment-record.ts'

/** Outcome of a call segment that has ended. */
export interface CallRecord {
  /** Number of the event that ended it. */
  readonly endedAt: number
  readonly segmentId: string
  readonly invocations: readonly ToolInvocation[]
  /** Reason without an invocation; empty with one. */
  readonly reason: string
}

const reasons: Readonly<Partial<Record<SegmentState, string>>> = {
  incomplete: 'Not invoked: the stream ended inside the call, and an incomplete call must not run.',
  malformed: 'Not invoked: the content does not match the format.',
}

/** Reasons of complete calls that are not invoked. */
const missingParts: Readonly<Partial<Record<SegmentType, string>>> = {
  write_file: 'Not invoked: the path is missing.',
  patch_file: 'Not invoked: the path is missing.',
  run_bash: 'Not invoked: the command is empty.',
}

/** Reads the calls from a list of events. */
export function recordCalls(
  events: readonly SegmentEvent[],
  segments: readonly SegmentRecord[],
): readonly CallRecord[] {
  const reader = createInvocationReader()
  const calls = new Map(segments.filter(isCall).map((segment) => [segment.id, segment]))
  const records: CallRecord[] = []
  for (const [index, event] of events.entries()) {
    const invocations = reader.feed(event)
    const segment = event.type === 'SEGMENT_END' ? calls.get(event.segment_id) : undefined
    if (segment === undefined) continue
    const reason = invocations.length > 0 ? '' : reasonOf(segment)
    records.push({ endedAt: index, segmentId: segment.id, invocations, reason })
  }
  return records
}

function isCall({ type }: SegmentRecord): boolean {
  return type !== 'text' && type !== 'reasoning'
}

function reasonOf(segment: SegmentRecord): string {
  return (
    reasons[stateAfter(segment, Infinity)] ??
    missingParts[segment.type] ??
    'Not invoked: the tool is missing, or the arguments are invalid.'
  )
}
