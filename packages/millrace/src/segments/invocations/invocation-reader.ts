import { toProjections, type Projections } from '../calls/projection.ts'
import { checkOptions } from '../checks/check-options.ts'
import { type SegmentLimits, toLimits } from '../limits.ts'
import type { ToolParameters } from '../parameter-types.ts'
import type { SegmentEnd, SegmentEvent } from '../segment-event.ts'
import { openCall, type OpenCall } from './open-call.ts'
import type { JsonObject } from '../../json/index.ts'

/** A complete tool call of a segment. */
export interface ToolInvocation {
  /** The id of the segment; the second and later calls of one segment add `:1`, `:2`, … */
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** The segment was cut or malformed: for display only, with `incomplete: 'include'`. */
  readonly complete?: false
  /** Brackets that the model omitted were added. */
  readonly repaired?: true
}

/** Options of an invocation reader. */
export interface InvocationOptions {
  /** The tools whose calls are segments of a projected type. */
  readonly projections?: Projections
  /** The parameters of the tools, so that values written as text get the type of their parameter. */
  readonly tools?: ToolParameters
  /** Whether calls that were cut or malformed are omitted or returned as far as they were read. */
  readonly incomplete?: 'skip' | 'include'
  /** Maximum nesting of arguments, and maximum number of calls in one segment. */
  readonly limits?: Partial<Pick<SegmentLimits, 'maxDepth' | 'maxCalls'>>
}

/** Converts the events of segments, which may interleave, to tool invocations. */
export interface InvocationReader {
  /** Reads the next event and returns the invocations that it completes. */
  feed(event: SegmentEvent): readonly ToolInvocation[]
}

/** Creates a reader that holds only the content of open calls. */
export function createInvocationReader(options: InvocationOptions = {}): InvocationReader {
  checkOptions(options)
  const { projections: given, tools = {}, incomplete = 'skip', limits } = options
  const { maxDepth, maxCalls } = toLimits(limits)
  const projections = toProjections(given)
  const open = new Map<string, OpenCall>()

  function end({ segment_id: id, payload }: SegmentEnd): readonly ToolInvocation[] {
    const call = open.get(id)
    open.delete(id)
    const truncated = payload.complete === false || payload.malformed === true
    if (call === undefined || (truncated && incomplete === 'skip')) return NOTHING
    const marks = {
      ...(truncated && { complete: false as const }),
      ...(payload.repaired === true && { repaired: true as const }),
    }
    const { metadata, empty = false } = payload
    const calls = call.close({ metadata, truncated, empty }).slice(0, maxCalls)
    return calls.flatMap((read, index) =>
      read === undefined ? [] : [{ id: index === 0 ? id : `${id}:${index}`, ...read, ...marks }],
    )
  }

  return {
    feed(event) {
      if (event.type === 'SEGMENT_END') return end(event)
      if (event.type === 'SEGMENT_CONTENT') {
        if (open.size > 0) open.get(event.segment_id)?.add(event.payload.delta)
      } else {
        const call = openCall(event, { projections, tools, maxDepth })
        if (call === undefined) open.delete(event.segment_id)
        else open.set(event.segment_id, call)
      }
      return NOTHING
    },
  }
}

const NOTHING: readonly ToolInvocation[] = []

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
