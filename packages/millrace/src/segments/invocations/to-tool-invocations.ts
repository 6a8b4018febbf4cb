import type { SegmentEvent } from '../segment-event.ts'
import { createInvocationReader, type InvocationOptions } from './invocation-reader.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/** Returns the tool invocations of segment events, in the order in which they were complete. */
export function toToolInvocations(
  events: Iterable<SegmentEvent>,
  options: InvocationOptions = {},
): ToolInvocation[] {
  const reader = createInvocationReader(options)
  const invocations: ToolInvocation[] = []
  for (const event of events) invocations.push(...reader.feed(event))
  return invocations
}
