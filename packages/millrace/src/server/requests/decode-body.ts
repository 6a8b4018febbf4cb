import { badRequest, type MillraceError } from '../../errors/index.ts'
import type { SchemaIssue, StandardSchema } from '../../json/index.ts'
import type { RouteParameter } from '../../protocols/port/index.ts'

/** A schema that is loaded when it is first needed: zod takes longer to load than the rest of the server. */
export type LazySchema<Output = unknown> = () => Promise<StandardSchema<Output>>

let schemas: ReturnType<typeof loadSchemas> | undefined

async function loadSchemas() {
  const parts = [import('./request-bodies.ts'), import('./request-queries.ts')] as const
  const [bodies, queries] = await Promise.all(parts)
  return { ...bodies, ...queries }
}

/** Loads the schemas of requests, once: `import` itself takes several turns, also for a module that is loaded. */
export const requestSchemas = () => (schemas ??= loadSchemas())

/** A parameter of a path whose schema is loaded with the first request. */
export interface LazyParameter extends Pick<RouteParameter, 'meaning'> {
  readonly schema: LazySchema<string>
}

/** The id of a session in a path. */
export const sessionParameter: LazyParameter = {
  schema: async () => (await requestSchemas()).sessionId,
  meaning: 'the id of a session, which is a UUID',
}

/** Maximum number of problems in an error. */
const maxFaults = 5

/** Validates a value by a schema of any library; throws with the problems of each field. */
export async function decodeWith<T>(schema: LazySchema<T>, value: unknown): Promise<T> {
  const result = await (await schema())['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw toRefusal(result.issues)
}

/** Validates the query of a request by its schema. The first of repeated fields counts. */
export function decodeQuery<T>(schema: LazySchema<T>, { url }: Request): Promise<T> {
  return decodeWith(schema, Object.fromEntries([...new URL(url).searchParams].reverse()))
}

/** Validates a path parameter. */
export async function decodeParameter(
  { schema, meaning }: LazyParameter,
  text: string,
): Promise<string> {
  const result = await (await schema())['~standard'].validate(text)
  if (result.issues === undefined) return result.value
  throw badRequest(`${JSON.stringify(text.slice(0, 80))} is not ${meaning}.`)
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

/** Rejects a request with too many answers. */
export function checkAnswerCount(count: number, maxResults: number): void {
  if (count <= maxResults) return
  throw badRequest(
    `The request has ${count} results, more than the limit of ${maxResults}; send several requests.`,
  )
}
