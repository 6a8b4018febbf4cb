import type { z } from 'zod'
import { MillraceError } from '../../errors/index.ts'
import type { SchemaIssue, StandardSchema } from '../../protocols/port/index.ts'

/** At most so many faults are reported; the rest is likely more of the same. */
const maxFaults = 5

/** Reads a body by its schema; throws `bad_request` with the fault of each field. */
export function decodeBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw toRefusal(error.issues)
}

/** Reads a value by a schema of any library. */
export async function decodeWith<T>(schema: StandardSchema<T>, value: unknown): Promise<T> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw toRefusal(result.issues)
}

/** Reads the query of a request by its schema; of a field that is given twice the first counts. */
export function decodeQuery<T>(schema: StandardSchema<T>, { url }: Request): Promise<T> {
  return decodeWith(schema, Object.fromEntries([...new URL(url).searchParams].reverse()))
}

function toRefusal(issues: readonly SchemaIssue[]): MillraceError {
  const faults = issues
    .slice(0, maxFaults)
    .map(({ path = [], message }) => `${path.map(nameOf).join('.') || 'the body'}: ${message}`)
  const more = issues.length - faults.length
  const rest = more > 0 ? `; and ${more} more` : ''
  return new MillraceError(
    'bad_request',
    `This cannot be used as it is. ${faults.join('; ')}${rest}.`,
  )
}

function nameOf(key: NonNullable<SchemaIssue['path']>[number]): string {
  return String(typeof key === 'object' ? key.key : key)
}
