import type { z } from 'zod'
import { MillraceError } from '../../errors/index.ts'

/** Maximum number of problems in an error. */
const maxFaults = 5

/** Validates a body by its schema; throws with the problems of each field. */
export function decodeBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const faults = error.issues
    .slice(0, maxFaults)
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`)
  const more = error.issues.length - faults.length
  const rest = more > 0 ? `; and ${more} more` : ''
  throw new MillraceError('bad_request', `The request is invalid. ${faults.join('; ')}${rest}.`)
}

/** Validates the query of a request by its schema. The first of repeated fields counts. */
export function decodeQuery<T>(schema: z.ZodType<T>, { url }: Request): T {
  return decodeBody(schema, Object.fromEntries([...new URL(url).searchParams].reverse()))
}
