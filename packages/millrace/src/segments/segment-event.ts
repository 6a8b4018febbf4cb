import type { JsonObject } from '../json/index.ts'

/** The types of segments. */
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

/** The start of a segment; its metadata is everything known at this point, such as `path` or `tool_name`. */
export interface SegmentStart {
  readonly type: 'SEGMENT_START'
  readonly segment_id: string
  readonly segment_type: SegmentType
  readonly payload: { readonly metadata: JsonObject }
}

/** Content of a segment; never empty. */
export interface SegmentContent {
  readonly type: 'SEGMENT_CONTENT'
  readonly segment_id: string
  readonly payload: { readonly delta: string }
}

/** The end of a segment; `{}` if it ended as its format defines and everything was known at its start. */
export interface SegmentEndPayload {
  /** The stream ended inside the segment: it must not be executed as it is. */
  readonly complete?: false
  /** It was closed, but its content violates its format. */
  readonly malformed?: true
  /** Brackets that the model omitted were added, so that the arguments are JSON. */
  readonly repaired?: true
  /**
   * The content of a `write_file`, `patch_file` or `run_bash` was written and is empty. Such a segment with neither content nor this mark
   * had no content argument.
   */
  readonly empty?: true
  /** Metadata that was read after the start, such as arguments after the content. */
  readonly metadata?: JsonObject
}

/** The end of a segment. */
export interface SegmentEnd {
  readonly type: 'SEGMENT_END'
  readonly segment_id: string
  readonly payload: SegmentEndPayload
}

/** An event of the parser; every start has its end. */
export type SegmentEvent = SegmentStart | SegmentContent | SegmentEnd
