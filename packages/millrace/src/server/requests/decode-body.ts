import type { z } from 'zod'
import { badRequest, type MillraceError } from '../../errors/index.ts'
import type { SchemaIssue, StandardSchema } from '../../json/index.ts'

/** Maximum number of problems in an error. */
const maxFaults = 5

/** Validates a body by its schema; throws with the problems of each field. */
export function decodeBody<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw toRefusal(error.issues)
}

/** Validates a value by a schema of any library. */
export async function decodeWith<T>(schema: StandardSchema<T>, value: unknown): Promise<T> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw toRefusal(result.issues)
}

/** Validates the query of a request by its schema. The first of repeated fields counts. */
export function decodeQuery<T>(schema: StandardSchema<T>, { url }: Request): Promise<T> {
  return decodeWith(schema, Object.fromEntries([...new URL(url).searchParams].reverse()))
}

function toRefusal(issues: readonly SchemaIssue[]): MillraceError {
  const faults = issues
    .slice(0, maxFaults)
    .map(({ path = [], message }) => `${path.map(nameOf).join('.') || 'the body'}: ${message}`)
  const more = issues.length - faults.length
  const rest = more > 0 ? `; and ${more} more` : ''
  return badRequest(`The request is invalid. ${faults.join('; ')}${rest}.`)
}

function nameOf(key: NonNullable<SchemaIssue['path']>[number]): string {
  return String(typeof key === 'object' ? key.key : key)
}
