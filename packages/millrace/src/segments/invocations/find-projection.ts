import type { JsonObject } from '../../json/index.ts'
import { projectionOf, type Projection, type Projections } from '../calls/projection.ts'
import { foldText } from '../characters.ts'
import type { SegmentType } from '../segment-event.ts'

/** A row of the table of projections. */
export interface NamedProjection {
  readonly name: string
  readonly projection: Projection
}

/**
 * Returns the tool whose calls are segments of this type: the tool in the metadata if it is projected to the type,
 * otherwise the tool with the name of the type, otherwise the first.
 */
export function findProjection(
  type: SegmentType,
  metadata: JsonObject,
  projections: Projections,
): NamedProjection | undefined {
  const { tool_name: tool } = metadata
  const named = typeof tool === 'string' ? findNamed(tool, type, projections) : undefined
  if (named !== undefined || generalTypes.has(type)) return named
  const likely = findNamed(type, type, projections) ?? findFirst(type, projections)
  // A tool that is not in this table keeps its name, and is never the tool that its segment looks like.
  const isUnknown = typeof tool === 'string' && projectionOf(tool, projections) === undefined
  return likely !== undefined && isUnknown ? { ...likely, name: tool } : likely
}

/** Types that do not identify a tool. */
const generalTypes: ReadonlySet<SegmentType> = new Set(['text', 'reasoning', 'tool_call'])

function findNamed(
  tool: string,
  type: SegmentType,
  projections: Projections,
): NamedProjection | undefined {
  const projection = projectionOf(tool, projections)
  return projection?.segment === type ? { name: foldText(tool), projection } : undefined
}

function findFirst(type: SegmentType, projections: Projections): NamedProjection | undefined {
  const first = Object.entries(projections).find(([, { segment }]) => segment === type)
  return first && { name: first[0], projection: first[1] }
}
