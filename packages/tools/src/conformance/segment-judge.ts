import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { segmentTypes, type ToolInvocation } from 'millrace/segments'
import { decodeOutput, difference, isSameJson } from './differences.ts'
import type { Judge } from './kinds/kind-check.ts'
import { type MergedSegment, mergeSegments } from './feedings/merge-segments.ts'

/** Returns the differences between segments and invocations and those that a case expects. */
type CompareSegments = (
  segments: readonly MergedSegment[],
  invocations: readonly ToolInvocation[],
) => string[]

/** Number of feedings compared with the expectation; all others must equal the first. */
const COMPARED_FEEDINGS = 3
const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('SEGMENT_START'),
    segment_id: z.string(),
    segment_type: z.enum(segmentTypes),
    payload: z.object({ metadata: object }),
  }),
  z.object({
    type: z.literal('SEGMENT_CONTENT'),
    segment_id: z.string(),
    payload: z.object({ delta: z.string() }),
  }),
  z.object({ type: z.literal('SEGMENT_END'), segment_id: z.string(), payload: object }),
])
const schema = z.object({
  events: z.array(event),
  invocations: z.array(z.looseObject({ id: z.string(), name: z.string(), arguments: object })),
  /** Calls that stayed text because code hides them [SEG-41]. */
  hidden: z.array(object).optional(),
  /** All text that the parser has accounted for [SEG-5]. */
  source: z.string().optional(),
})

interface SegmentJudgeOptions {
  readonly text?: string
  /** The hidden calls that a case expects, if it names them. */
  readonly hidden?: JsonValue | undefined
  readonly mayOverlap?: boolean
}

/** Creates the judge of the segments of one case: every feeding must yield the same, and that must be expected. */
export function createSegmentJudge(
  compare: CompareSegments,
  { text, hidden, mayOverlap = false }: SegmentJudgeOptions = {},
): Judge {
  let first: string | undefined
  let count = 0
  return (output) => {
    const {
      events,
      invocations,
      source = text,
      hidden: hiddenCalls = [],
    } = decodeOutput(schema, output)
    const { segments, faults } = mergeSegments(events, { mayOverlap })
    const found = [...faults]
    if (source !== text) found.push(difference('text accounted for', text, source))
    if (hidden !== undefined && !isSameJson(hidden, hiddenCalls))
      found.push(difference('hidden calls', hidden, hiddenCalls))
    if (count++ < COMPARED_FEEDINGS) found.push(...compare(segments, invocations))
    const result = JSON.stringify(segments)
    first ??= result
    if (result !== first) found.push(`expected the same as otherwise cut, found ${result}`)
    return found
  }
}
