import { foldText } from '../characters.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import { type SegmentType, segmentTypes } from '../segment-event.ts'
import { badRequest, type MillraceError } from '../../errors/index.ts'

/** Describes how calls of one tool become segments of a type. */
export interface Projection {
  readonly segment: SegmentType
  /** The argument whose text is the content of the segment. */
  readonly content: string
  /** The argument that the start waits for: it becomes `path` in the metadata. */
  readonly path?: string
  /** Types of the other arguments, for formats that write all values as text. */
  readonly types?: ParameterTypes
}

/** Projections by tool name, in any ASCII case. */
export type Projections = Readonly<Record<string, Projection>>

/** The tools of the streaming parser design, which show a file, a patch or a command as it is written. */
export const defaultProjections: Projections = {
  write_file: { segment: 'write_file', path: 'path', content: 'content' },
  patch_file: { segment: 'patch_file', path: 'path', content: 'patch' },
  run_bash: {
    segment: 'run_bash',
    content: 'command',
    types: { background: 'boolean', timeout_seconds: 'integer' },
  },
}

/** Returns the projection of a tool, or undefined for a `tool_call` [SEG-33]; the table's names are in lower case. */
export function projectionOf(tool: string, projections: Projections): Projection | undefined {
  const name = foldText(tool)
  return Object.hasOwn(projections, name) ? projections[name] : undefined
}

/** Normalizes a table: names in ASCII lower case, and only valid segment types. */
export function toProjections(projections: Projections = defaultProjections): Projections {
  if (projections === defaultProjections) return projections
  const rows = Object.entries(projections).map(([tool, projection]): [string, Projection] => {
    if (!segmentTypes.includes(projection.segment)) throw unknownSegment(tool, projection.segment)
    return [foldText(tool), projection]
  })
  return Object.fromEntries(rows)
}

function unknownSegment(tool: string, segment: string): MillraceError {
  const choices = segmentTypes.join(', ')
  const message = `The projection of ${tool} has the segment "${segment}". Use one of ${choices}.`
  return badRequest(message)
}
