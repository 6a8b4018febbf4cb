import type { SegmentLimits } from '../limits.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import type { SegmentEmitter } from '../segment-emitter.ts'
import type { CallStart } from './call-writer.ts'
import type { Projections } from './projection.ts'

/** A call and what decides how it is shown. */
export interface CallWriterOptions {
  readonly emitter: SegmentEmitter
  readonly call: CallStart
  readonly projections: Projections
  /** The types of the tool's parameters, for fields that come without one. */
  readonly parameters?: ParameterTypes
  readonly limits: SegmentLimits
  /** Is told just before the segment starts, which a projected call may put off. */
  readonly onStart?: () => void
  /** The caller follows the JSON itself and says at the end what is wrong with it. */
  readonly isChecked?: boolean
}
