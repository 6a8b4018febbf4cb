import type { JsonObject } from '../../json/index.ts'
import type { SegmentType } from '../segment-event.ts'

/** The content of an opener. */
export interface Opening {
  /** The tag, or the text after the `=` of `<function=name>`. */
  readonly name: string
  /** Attributes by name; in lower case if the tag ignores case. */
  readonly attributes: ReadonlyMap<string, string>
  /** The block ends with its opener. */
  readonly selfClosing?: boolean
  /** The type in a JSON header. */
  readonly segment?: SegmentType
  /** The other fields of a JSON header, or the id next to a name. */
  readonly metadata?: JsonObject
}

/** An opener without a name and attributes. */
export const plainOpening: Opening = { name: '', attributes: new Map() }
