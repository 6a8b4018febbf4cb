import type { JsonObject } from '../json/index.ts'
import type { SegmentEndPayload, SegmentEvent, SegmentType } from './segment-event.ts'

/** The documents whose events a parser can reproduce exactly; `seed-004` is the streaming parser design. */
export const compatibilities = ['seed-004'] as const

/** One of {@link compatibilities}. */
export type Compatibility = (typeof compatibilities)[number]

/** The option that selects the events of another document. */
export interface CompatibilityChoice {
  /**
   * Reproduces the events of the streaming parser design: code hides nothing, ends have no payload, JSON calls
   * stay as written, and starts have the metadata of its table. A handler without a strategy reads `xml`.
   */
  readonly compatibility?: Compatibility
}

/** The metadata that the design shows at the start of each segment type. */
const shownAtStart: Readonly<Record<SegmentType, readonly string[]>> = {
  text: [],
  tool_call: ['tool_name'],
  write_file: ['path'],
  patch_file: ['path'],
  run_bash: [],
  reasoning: [],
}

interface SplitMetadata {
  readonly shown: JsonObject
  readonly late: JsonObject
}

/** Splits the metadata of a start by the design's table. */
export function splitMetadata(type: SegmentType, metadata: JsonObject): SplitMetadata {
  const isShown = ([key]: readonly [string, unknown]): boolean => shownAtStart[type].includes(key)
  const entries = Object.entries(metadata)
  return {
    shown: Object.fromEntries(entries.filter(isShown)),
    late: Object.fromEntries(entries.filter((entry) => !isShown(entry))),
  }
}

const BARE: SegmentEndPayload = {}

/** Removes the payload of an end, because the design's ends have none. */
export function toBareEvent(event: SegmentEvent): SegmentEvent {
  return event.type === 'SEGMENT_END' ? { ...event, payload: BARE } : event
}
