import type { JsonObject } from '../../json/index.ts'
import type { SegmentType } from '../segment-event.ts'

/** What an opener said. */
export interface Opening {
  /** The tag, or what stands after the `=` of `<function=name>`. */
  readonly name: string
  /** Attributes by name; tags that fold case fold these too. */
  readonly attributes: ReadonlyMap<string, string>
  /** The block is over with its opener. */
  readonly selfClosing?: boolean
  /** The type that a JSON header named. */
  readonly segment?: SegmentType
  /** What else a JSON header said, or the id that stood beside a name. */
  readonly metadata?: JsonObject
}

/** An opener that says nothing but that it is there. */
export const plainOpening: Opening = { name: '', attributes: new Map() }
