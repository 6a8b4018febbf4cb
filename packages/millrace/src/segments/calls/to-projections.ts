import { MillraceError } from '../../errors/index.ts'
import { foldText } from '../characters.ts'
import { segmentTypes } from '../segment-event.ts'
import { defaultProjections, type Projection, type Projections } from './projection.ts'

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
  return new MillraceError('bad_request', message)
}
