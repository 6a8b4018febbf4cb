import type { z } from 'zod'
import type { JsonObject } from 'millrace'

/** Decodes an output by the schema of its kind; throws with the faults of an invalid one. */
export function decodeOutput<Schema extends z.ZodType>(
  schema: Schema,
  output: JsonObject,
): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(output)
  if (success) return data
  const faults = error.issues.map(
    ({ path, message }) => `${['output', ...path].join('.')}: ${message}`,
  )
  throw new Error(`an invalid output:  ${faults.join('; ')}`)
}
