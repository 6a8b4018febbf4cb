import type { JsonObject } from '../../json/index.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import type { FieldType } from './field-type.ts'

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
