import type { CallWriter } from './call-writer.ts'
import type { CallWriterOptions } from './call-writer-options.ts'
import { PlainCallWriter } from './plain-call-writer.ts'
import { ProjectedCallWriter } from './projected-call-writer.ts'
import { projectionOf } from './projection.ts'

/**
 * Creates the writer of a call: projected if its tool is in the table, otherwise a `tool_call` with JSON
 * arguments.
 */
export function createCallWriter(options: CallWriterOptions): CallWriter {
  const projection = projectionOf(options.call.name, options.projections)
  if (projection === undefined) return new PlainCallWriter(options)
  return new ProjectedCallWriter(options, projection)
}
