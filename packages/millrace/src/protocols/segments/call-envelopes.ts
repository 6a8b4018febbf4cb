import type { Envelope } from '../../events/index.ts'
import { type JsonObject, parseJsonOr } from '../../json/index.ts'
import {
  defaultProjections,
  type SegmentEndPayload,
  type SegmentStart,
  type ToolInvocation,
} from '../../segments/index.ts'

/** The segment of an ended call. */
export interface CallToRead {
  readonly start: SegmentStart
  readonly content: string
  readonly end: SegmentEndPayload
  /** The calls that it invokes, if it is complete. */
  readonly invocations: readonly ToolInvocation[]
  readonly agent: string
}

/** Converts a call to frames: one, or one for each call in the segment. [SEG-35] */
export function toCallEnvelopes(call: CallToRead): readonly Envelope[] {
  const { start, end, content, invocations } = call
  const metadata = { ...start.payload.metadata, ...end.metadata }
  const { tool_name: toolName } = metadata
  const name = typeof toolName === 'string' ? toolName : ''
  const isPlain = start.segment_type === 'tool_call'
  const isWhole = invocations.length > 0
  if (isPlain && name !== '' && (!isWhole || isInput(content))) {
    return [toCall(call, metadata, { name, input: content === '' ? '{}' : content })]
  }
  if (isWhole) {
    return invocations.map(({ id, name: called, arguments: values }, index) => {
      const own = index === 0 ? metadata : { ...metadata, call_id: id }
      return toCall(call, own, { name: called, input: JSON.stringify(values) })
    })
  }
  const input = isPlain ? content : toProjectedInput(call, metadata)
  return [toCall(call, metadata, { name: name === '' ? start.segment_type : name, input })]
}

/** Whether the content is the unchanged arguments. Text formats may write them in tags. */
function isInput(content: string): boolean {
  return content === '' || parseJsonOr(content, undefined) !== undefined
}

/** Returns the arguments of a call that is not invoked. Those of an interrupted call stay visibly incomplete. */
function toProjectedInput({ start, end, content }: CallToRead, metadata: JsonObject): string {
  const { path: pathName, content: field = 'content' } =
    defaultProjections[start.segment_type] ?? {}
  const { path } = metadata
  const known: JsonObject = path === undefined || pathName === undefined ? {} : { [pathName]: path }
  const hasContent = content !== '' || end.empty === true
  const json = JSON.stringify(hasContent ? { ...known, [field]: content } : known)
  if (end.complete !== false) return json
  return json.slice(0, hasContent ? -'"}'.length : -'}'.length)
}

function toCall(
  { start, agent, end }: CallToRead,
  metadata: JsonObject,
  { name, input }: { readonly name: string; readonly input: string },
): Envelope {
  const { call_id: callId, provider_executed: isServer, server_name: server } = metadata
  return {
    type: isServer === true ? 'server_tool_call' : 'tool_call',
    agent,
    final: true,
    delta: input,
    id: typeof callId === 'string' ? callId : start.segment_id,
    name,
    ...(isServer === true && typeof server === 'string' && { server_name: server }),
    ...(end.complete === false && { interrupted: true }),
  }
}
