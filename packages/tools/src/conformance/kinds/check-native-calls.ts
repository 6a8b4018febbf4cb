import type { NativeDelta } from 'millrace/segments'
import { segmentDifferences } from './check-segments.ts'
import type { KindCheck } from './kind-check.ts'
import { nativeTasks } from '../feedings/native-feedings.ts'
import { createSegmentJudge } from '../segment-judge.ts'

/** Checks the segments of native tool calls. */
export const checkNativeCalls: KindCheck = {
  tasks: ({ chunks }, units) => nativeTasks(chunks as readonly NativeDelta[], units),
  createJudge: (expected) =>
    createSegmentJudge(
      (segments, invocations) => segmentDifferences(expected, segments, invocations),
      { mayOverlap: true },
    ),
}
