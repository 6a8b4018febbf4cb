import type { JsonObject } from '../../json/index.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import type { FieldType } from './field-type.ts'

/**
 * Takes the arguments of one call and writes the events of its segment. A reader of a format uses either
 * `json`, where the model writes JSON, or the three of a field, where it writes tags.
 */
export interface CallWriter {
  /** More of the arguments as JSON text, cut anywhere. */
  json(text: string): void
  /** One argument begins; with a type other than `string` its text is read as JSON of that type at its end. */
  beginField(key: string, type?: FieldType): void
  /** More of the argument's text, verbatim. */
  fieldText(text: string): void
  endField(): void
  /** The call is over. */
  end(payload?: SegmentEndPayload): void
}

/** What is known of a call when its arguments begin. */
export interface CallStart {
  /** The tool's name as the model wrote it. */
  readonly name: string
  /** More for the metadata, such as the `call_id` that some formats carry. */
  readonly metadata?: JsonObject
  /** The id of the segment, where the provider gave one. */
  readonly segmentId?: string
  /** How the format writes arguments: a call without any is then `{}` rather than nothing. */
  readonly body?: 'json' | 'fields'
}
