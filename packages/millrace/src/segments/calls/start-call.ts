import type { JsonObject } from '../../json/index.ts'
import type { SegmentType } from '../segment-event.ts'
import type { CallWriterOptions } from './call-writer-options.ts'

/** Starts the segment of a call and returns its id; a call without a name has no `tool_name`. */
export function startCall(
  { emitter, call, onStart }: CallWriterOptions,
  type: SegmentType,
  metadata?: JsonObject,
): string {
  onStart?.()
  const name = call.name === '' ? undefined : { tool_name: call.name }
  return emitter.start(type, { ...call.metadata, ...name, ...metadata }, { id: call.segmentId })
}
