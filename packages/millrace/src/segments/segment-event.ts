import type { JsonObject } from '../json/index.ts'

/** What a segment may be. */
export const segmentTypes = [
  'text',
  'tool_call',
  'write_file',
  'patch_file',
  'run_bash',
  'reasoning',
] as const

/** One of {@link segmentTypes}. */
export type SegmentType = (typeof segmentTypes)[number]

/** A segment begins; its metadata is what was known of it then, such as `path` or `tool_name`. */
export interface SegmentStart {
  readonly type: 'SEGMENT_START'
  readonly segment_id: string
  readonly segment_type: SegmentType
  readonly payload: { readonly metadata: JsonObject }
}

/** More of a segment's content; never empty. */
export interface SegmentContent {
  readonly type: 'SEGMENT_CONTENT'
  readonly segment_id: string
  readonly payload: { readonly delta: string }
}

/** How a segment ended; `{}` if it ended as its format says and everything was known at its start. */
export interface SegmentEndPayload {
  /** The stream ended inside the segment: it must not be executed as it is. */
  readonly complete?: false
  /** It was closed, but what is inside is not what its format says. */
  readonly malformed?: true
  /** Brackets that the model left out were added, so that the arguments are JSON. */
  readonly repaired?: true
  /**
   * The content of a `write_file`, `patch_file` or `run_bash` was written and is empty. Such a segment with neither
   * content nor this mark had no content argument at all.
   */
  readonly empty?: true
  /** What was learned after the start, such as arguments that came after the content. */
  readonly metadata?: JsonObject
}

/** A segment is over. */
export interface SegmentEnd {
  readonly type: 'SEGMENT_END'
  readonly segment_id: string
  readonly payload: SegmentEndPayload
}

/** What the parser says, in order; every start has its end. */
export type SegmentEvent = SegmentStart | SegmentContent | SegmentEnd
