import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { Projection } from '../calls/projection.ts'

interface ProjectedCall {
  readonly projection: Projection
  readonly metadata: JsonObject
  /** The content of the segment; undefined if the call had no such argument. */
  readonly content: string | undefined
}

/** Metadata about the call that is not an argument. */
const aboutCall = new Set(['tool_name', 'call_id'])

/** Returns the arguments that a projected call was written with, under their own names; others are absent. */
export function toProjectedArguments({ projection, metadata, content }: ProjectedCall): JsonObject {
  const { path: pathName, content: contentName } = projection
  const { path, ...rest } = metadata
  const hasPath = pathName !== undefined && path !== undefined
  const others = Object.entries(pathName === undefined ? metadata : rest)
  const own: [string, JsonValue][] = [
    ...(hasPath ? [[pathName, path] satisfies [string, JsonValue]] : []),
    ...(content === undefined ? [] : [[contentName, content] satisfies [string, JsonValue]]),
  ]
  const taken = new Set([...aboutCall, ...own.map(([key]) => key)])
  return Object.fromEntries([...own, ...others.filter(([key]) => !taken.has(key))])
}

/** Checks whether a call has the argument that an invocation requires: the path, otherwise the content [SEG-36]. */
export function isInvocable({ path, content }: Projection, values: JsonObject): boolean {
  const needed = values[path ?? content]
  return typeof needed === 'string' && needed !== ''
}
