import type { z } from 'zod'
import { MillraceError } from '../../errors/index.ts'

/** So many faults are told; the rest is likely more of the same. */
const maxFaults = 5

/** Reads a body by its schema, or says field by field what is wrong with it. */
export function decodeBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const faults = error.issues
    .slice(0, maxFaults)
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`)
  const more = error.issues.length - faults.length
  const rest = more > 0 ? `; and ${more} more` : ''
  throw new MillraceError(
    'bad_request',
    `This cannot be used as it is. ${faults.join('; ')}${rest}.`,
  )
}

/** Reads the query of a request by its schema; of a field that is given twice the first counts. */
export function decodeQuery<T>(schema: z.ZodType<T>, { url }: Request): T {
  return decodeBody(schema, Object.fromEntries([...new URL(url).searchParams].reverse()))
}
