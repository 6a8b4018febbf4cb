import type { JsonObject } from '../../json/index.ts'
import type { SegmentEndPayload, SegmentType } from '../segment-event.ts'
import type { FieldType } from './typed-json.ts'
import type { SegmentLimits } from '../limits.ts'
import type { ParameterTypes } from '../parameter-types.ts'
import type { SegmentEmitter } from '../segment-emitter.ts'
import type { Projections } from './projection.ts'

/**
 * Writes the arguments of one call as the events of its segment. A format reader uses either `json`, for a model
 * that writes JSON, or the three field methods, for a model that writes tags.
 */
export interface CallWriter {
  /** Adds JSON text of the arguments, cut anywhere. */
  json(text: string): void
  /** Begins an argument; a type other than `string` makes its text JSON of that type at its end. */
  beginField(key: string, type?: FieldType): void
  /** Adds text of the argument, verbatim. */
  fieldText(text: string): void
  endField(): void
  /** Ends the call. */
  end(payload?: SegmentEndPayload): void
}

/** The facts of a call that are known when its arguments begin. */
export interface CallStart {
  /** The tool's name as the model wrote it. */
  readonly name: string
  /** Additional metadata, such as the `call_id` of some formats. */
  readonly metadata?: JsonObject
  /** The id of the segment, if the provider has set one. */
  readonly segmentId?: string
  /** Notation of the arguments: a call without arguments is then `{}` instead of empty text. */
  readonly body?: 'json' | 'fields'
}

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

/** Starts the segment of a call and returns its id; a call without a name has no `tool_name`. */
export function startCall(
  { emitter, call, onStart }: CallWriterOptions,
  type: SegmentType,
  metadata?: JsonObject,
): string {
  onStart?.()
  const name = call.name === '' ? undefined : { tool_name: call.name }
  return emitter.start(type, { ...call.metadata, ...name, ...metadata }, { id: call.segmentId })
}
