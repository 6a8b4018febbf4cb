import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { Projection } from '../calls/projection.ts'

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
