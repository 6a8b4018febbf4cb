import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { Projection, Projections } from '../calls/projection.ts'
import type { SegmentType } from '../segment-event.ts'

/** A row of the table of projections. */
export interface NamedProjection {
  readonly name: string
  readonly projection: Projection
}

/**
 * The tool whose calls are segments of this type: the one named in the metadata if it is projected to the
 * type, else the one that is named like the type, else the first.
 */
export function findProjection(
  type: SegmentType,
  metadata: JsonObject,
  projections: Projections,
): NamedProjection | undefined {
  const { tool_name: tool } = metadata
  const named = typeof tool === 'string' ? findNamed(tool, type, projections) : undefined
  if (named !== undefined || generalTypes.has(type)) return named
  return findNamed(type, type, projections) ?? findFirst(type, projections)
}

/** Types that tell nothing of a tool by themselves. */
const generalTypes: ReadonlySet<SegmentType> = new Set(['text', 'reasoning', 'tool_call'])

function findNamed(
  tool: string,
  type: SegmentType,
  projections: Projections,
): NamedProjection | undefined {
  const name = tool.toLowerCase()
  const projection = Object.hasOwn(projections, name) ? projections[name] : undefined
  return projection?.segment === type ? { name, projection } : undefined
}

function findFirst(type: SegmentType, projections: Projections): NamedProjection | undefined {
  const first = Object.entries(projections).find(([, { segment }]) => segment === type)
  return first && { name: first[0].toLowerCase(), projection: first[1] }
}

/** What {@link toProjectedArguments} puts together. */
export interface ProjectedCall {
  readonly projection: Projection
  readonly metadata: JsonObject
  readonly content: string
  /** Whether to go without what has not come. */
  readonly truncated: boolean
}

/** Metadata that is about the call and no argument of it. */
const aboutCall = new Set(['tool_name', 'call_id'])

/**
 * The arguments of a projected call: its path, its content and the rest of its metadata. Undefined if the path,
 * or the content where there is no path, is missing or empty.
 */
export function toProjectedArguments(call: ProjectedCall): JsonObject | undefined {
  const { projection, metadata, truncated } = call
  const content = call.content === '' ? toText(metadata[projection.content]) : call.content
  const path = projection.path === undefined ? undefined : toText(metadata['path'])
  if ((path ?? content) === '' && !truncated) return undefined
  const own: [string, JsonValue][] = [[projection.content, content]]
  if (projection.path !== undefined && path) own.unshift([projection.path, path])
  return Object.fromEntries([...own, ...toFurtherArguments(call, own)])
}

function toFurtherArguments(
  { projection, metadata }: ProjectedCall,
  own: readonly [string, JsonValue][],
): [string, JsonValue][] {
  const taken = new Set([...aboutCall, ...own.map(([key]) => key)])
  if (projection.path !== undefined) taken.add('path')
  return Object.entries(metadata).filter(([key]) => !taken.has(key))
}

function toText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
