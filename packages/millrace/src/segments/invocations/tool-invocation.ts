import type { JsonObject } from '../../json/index.ts'

/** A tool call that a segment has made ready to run. */
export interface ToolInvocation {
  /** The id of the segment; the second and later calls of one segment add `:1`, `:2`, … */
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** The segment was cut or malformed: only for show, and only where it was asked for. */
  readonly complete?: false
  /** Brackets that the model left out were added. */
  readonly repaired?: true
}
