import type { ErrorCode } from '../../errors/index.ts'
import type { RouteParameter, StandardSchema } from '../../protocols/port/index.ts'
import { readForm } from '../files/read-form.ts'
import type { ServerContext } from '../server-context.ts'
import { clientAddressOf } from '../requests/guard.ts'
import { readJson } from '../requests/read-json.ts'
import { decodeQuery, decodeWith } from '../requests/decode-body.ts'
import { decodeParameter } from '../requests/path-parameters.ts'

/** What a route gives when nothing is wrong. */
export interface RouteAnswer {
  readonly description: string
  /** `stream` is an event stream, `file` the bytes of a file; else JSON of this schema. */
  readonly content: 'stream' | 'file' | StandardSchema
  /** The status with which the same is told when the server is not well. */
  readonly illStatus?: number
  /** What it gives with 202 to clients that prefer not to wait. */
  readonly accepted?: StandardSchema
  /** When it is answered with 204 instead, which has no content. */
  readonly empty?: string
}

/** What a route takes as its body. */
export interface RouteBody<Body> {
  readonly type: 'application/json' | 'multipart/form-data'
  readonly schema: StandardSchema<Body>
  /** Whether a request without a body is taken as an empty object. */
  readonly isOptional?: boolean
  /** Whether JSON may hold files: it may then be as large as an upload, and takes a place among these if it is. */
  readonly holdsFiles?: boolean
}

/** A request that was read by what its route says of it. */
export interface RouteInput<Body, Query> {
  readonly request: Request
  /** What stands in the path, by name. */
  readonly path: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
}

/** What a route is made of: all that is said of it, and what answers. */
export interface RouteDefinition<Body, Query> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As OpenAPI writes it: `/agent/{uuid}/stream`. */
  readonly path: string
  readonly summary: string
  readonly parameters?: Readonly<Record<string, RouteParameter>>
  readonly query?: StandardSchema<Query>
  /** Headers that it heeds besides those that every request may have. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: RouteBody<Body>
  readonly answer: RouteAnswer
  /** What it may refuse a request with, besides what any route may and what any body may be refused for. */
  readonly errors: readonly ErrorCode[]
  /** Whether it asks for no token. */
  readonly isOpen?: boolean
  readonly handle: (
    context: ServerContext,
    asked: RouteInput<Body, Query>,
  ) => Promise<Response> | Response
}

/** A route: one row of the table from which the server and its description are made. */
export interface Route extends Omit<RouteDefinition<unknown, unknown>, 'handle'> {
  /** Reads a request by what is said above, and answers it. */
  respond(
    context: ServerContext,
    request: Request,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Response>
}

/** Makes a route whose handler gets only what was checked. */
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
        // What is not described is not read.
        query: query === undefined ? (undefined as Query) : await decodeQuery(query, request),
        body: body === undefined ? (undefined as Body) : await readBody(context, request, body),
      })
    },
  }
}

async function readBody<Body>(
  { limits, uploadQuota, ownUploadQuota, principal }: ServerContext,
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
  const releaseOwn = ownUploadQuota.acquire((await principal(request)) ?? clientAddressOf(request))
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

/** Takes the second of two places, and gives the first one back where there is no second. */
function takeOr(leaveFirst: () => void, take: () => () => void): () => void {
  try {
    return take()
  } catch (error) {
    leaveFirst()
    throw error
  }
}

/** Whether a body may be larger than this, by what its sender says. */
function mayExceed({ headers }: Request, maxBytes: number): boolean {
  const declared = headers.get('content-length')
  return declared === null || Number(declared) > maxBytes
}
