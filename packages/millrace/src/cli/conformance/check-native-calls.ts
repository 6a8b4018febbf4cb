import type { JsonObject } from '../../json/index.ts'
import {
  createStreamingResponseHandler,
  type NativeDelta,
  type SegmentEvent,
} from '../../segments/index.ts'
import { checkFeedings } from './check-feedings.ts'
import { segmentDifferences } from './check-segments.ts'
import { nativeFeedings } from './native-feedings.ts'

/** Checks which segments the deltas of native tool calls become. */
export function checkNativeCalls(input: JsonObject, expected: JsonObject): string[] {
  return checkFeedings({
    feedings: nativeFeedings(input['chunks'] as readonly NativeDelta[]),
    read: readDeltas,
    compare: (segments, events) => segmentDifferences(expected, segments, events),
    mayOverlap: true,
  })
}

function readDeltas(deltas: Iterable<NativeDelta>): { events: readonly SegmentEvent[] } {
  const handler = createStreamingResponseHandler({ strategy: 'api_tool_call' })
  const events: SegmentEvent[] = []
  for (const delta of deltas) events.push(...handler.feed(delta))
  events.push(...handler.finalize())
  return { events }
}
