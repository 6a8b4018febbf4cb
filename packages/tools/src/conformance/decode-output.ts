import type { z } from 'zod'
import type { JsonObject } from 'millrace'

/** Reads an output as its kind demands it; one of another form is refused with what is wrong with it. */
export function decodeOutput<Schema extends z.ZodType>(
  schema: Schema,
  output: JsonObject,
): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(output)
  if (success) return data
  const faults = error.issues.map(
    ({ path, message }) => `${['output', ...path].join('.')}: ${message}`,
  )
  throw new Error(`an output that cannot be judged: ${faults.join('; ')}`)
}
