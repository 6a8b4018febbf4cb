import type { JsonObject } from '../../json/index.ts'

/** A complete tool call of a segment. */
export interface ToolInvocation {
  /** The id of the segment; the second and later calls of one segment add `:1`, `:2`, … */
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  /** The segment was cut or malformed: for display only, with `incomplete: 'include'`. */
  readonly complete?: false
  /** Brackets that the model omitted were added. */
  readonly repaired?: true
}
