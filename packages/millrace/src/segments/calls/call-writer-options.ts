import type { SegmentLimits } from '../limits.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import type { SegmentEmitter } from '../segment-emitter.ts'
import type { CallStart } from './call-writer.ts'
import type { Projections } from './projection.ts'

/** Options of a call writer. */
export interface CallWriterOptions {
  readonly emitter: SegmentEmitter
  readonly call: CallStart
  readonly projections: Projections
  /** The types of the tool's parameters, for fields without a type. */
  readonly parameters?: ParameterTypes
  readonly limits: SegmentLimits
  /** Called just before the segment starts, which a projected call may delay. */
  readonly onStart?: () => void
  /** The caller checks the JSON itself and reports errors at the end. */
  readonly isChecked?: boolean
}
