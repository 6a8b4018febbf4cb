import type { ErrorCode } from '../../errors/index.ts'
import type { ServerContext } from '../server-context.ts'
import { clientAddressOf } from '../requests/guard.ts'
import { readForm, readJson } from '../requests/read-body.ts'
import {
  decodeParameter,
  decodeQuery,
  decodeWith,
  type LazyParameter,
  type LazySchema,
} from '../requests/decode-body.ts'

/** Loads the schemas of responses. */
export const answerSchemas = () => import('./answers.ts')

/** Errors of routes that read a session. */
export const sessionErrors = [
  'bad_request',
  'not_found',
  'log_replaced',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

/** Errors of routes that change a session. */
export const commandErrors = [
  'bad_request',
  'not_found',
  'log_replaced',
  'overloaded',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

/** The successful response of a route. */
export interface RouteAnswer {
  readonly description: string
  /** `stream` is an event stream, `file` the bytes of a file; otherwise JSON of this schema. */
  readonly content: 'stream' | 'file' | LazySchema
  /** The status of the same response while the server is unhealthy. */
  readonly illStatus?: number
  /** The schema of status 202, for clients that prefer not to wait. */
  readonly accepted?: LazySchema
  /** The condition of a 204 response, which has no content. */
  readonly empty?: string
}

/** The body of a route's requests. */
interface RouteBody<Body> {
  readonly type: 'application/json' | 'multipart/form-data'
  readonly schema: LazySchema<Body>
  /** Whether a request without a body means an empty object. */
  readonly isOptional?: boolean
  /** Whether JSON may contain files: it may then be as large as an upload, and counts as one if it is. */
  readonly holdsFiles?: boolean
}

/** A request, validated by the definition of its route. */
export interface RouteInput<Body, Query> {
  readonly request: Request
  /** The path parameters by name. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
}

/** The definition of a route: its description and its handler. */
interface RouteDefinition<Body, Query> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path as in OpenAPI: `/agent/{uuid}/stream`. */
  readonly path: string
  readonly summary: string
  readonly parameters?: Readonly<Record<string, LazyParameter>>
  readonly query?: LazySchema<Query>
  /** Headers that it reads, besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: RouteBody<Body>
  readonly answer: RouteAnswer
  /** Its errors, besides those of every route and of every body. */
  readonly errors: readonly ErrorCode[]
  /** Whether it requires no token. */
  readonly isOpen?: boolean
  readonly handle: (
    context: ServerContext,
    asked: RouteInput<Body, Query>,
  ) => Promise<Response> | Response
}

/** A route: a row of the table from which the server and the API description are created. */
export interface Route extends Omit<RouteDefinition<unknown, unknown>, 'handle'> {
  /** Validates a request by its definition, and responds. */
  respond(
    context: ServerContext,
    request: Request,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Response>
}

/** Creates a route whose handler only gets validated input. */
export function defineRoute<Body = undefined, Query = undefined>(
  definition: RouteDefinition<Body, Query>,
): Route {
  const { handle, ...description } = definition
  const { parameters = {}, query, body } = definition
  return {
    ...description,
    respond: async (context, request, given) => {
      const path: Record<string, string> = {}
      for (const [name, parameter] of Object.entries(parameters))
        path[name] = await decodeParameter(parameter, given[name] ?? '')
      return handle(context, {
        request,
        path,
        // Input without a description is not read.
        query: query === undefined ? (undefined as Query) : await decodeQuery(query, request),
        body: body === undefined ? (undefined as Body) : await readBody(context, request, body),
      })
    },
  }
}

async function readBody<Body>(
  { limits, uploadQuota, ownUploadQuota, identify }: ServerContext,
  request: Request,
  { type, schema, isOptional = false, holdsFiles = false }: RouteBody<Body>,
): Promise<Body> {
  const { bodyIdleTimeoutMs: idleTimeoutMs, bodyTimeoutMs: timeoutMs } = limits
  const times = { idleTimeoutMs, timeoutMs }
  const { maxJsonDepth: maxDepth, maxBodyBytes } = limits
  if (type === 'application/json' && !(holdsFiles && mayExceed(request, maxBodyBytes))) {
    const options = { ...times, maxBytes: maxBodyBytes, maxDepth, isOptional }
    return decodeWith(schema, await readJson(request, options))
  }
  const { quotaKey = clientAddressOf(request) } = await identify(request)
  const releaseOwn = ownUploadQuota.acquire(quotaKey)
  const release = takeOr(releaseOwn, () => uploadQuota.acquire('all'))
  try {
    const { maxUploadBytes: maxBytes, maxBodyBytes: maxFieldBytes, maxFiles } = limits
    if (type === 'application/json')
      return await decodeWith(schema, await readJson(request, { ...times, maxBytes, maxDepth }))
    const sizes = { maxBytes, maxFieldBytes, maxFiles }
    return await decodeWith(schema, await readForm(request, { ...times, ...sizes }))
  } finally {
    release()
    releaseOwn()
  }
}

/** Acquires a second quota, and releases the first one if that fails. */
function takeOr(leaveFirst: () => void, take: () => () => void): () => void {
  try {
    return take()
  } catch (error) {
    leaveFirst()
    throw error
  }
}

/** Whether a body may be larger than this, by its declared length. */
function mayExceed({ headers }: Request, maxBytes: number): boolean {
  const declared = headers.get('content-length')
  return declared === null || Number(declared) > maxBytes
}
