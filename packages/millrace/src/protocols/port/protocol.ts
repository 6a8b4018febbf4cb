import { badRequest, type ErrorCode } from '../../errors/index.ts'
import type { StandardSchema } from '../../json/index.ts'
import type { LogFormat } from './log-format.ts'
import type { Plan } from './plan.ts'

/**
 * A protocol of the server: the format of its streams and its own routes. The server reads this description at creation, and loads the code
 * with the first request that needs it.
 */
export interface Protocol {
  /** The name that `?format=` takes: lower-case letters, digits and hyphens. */
  readonly name: string
  /** Routes besides those of the server, by the name that their plan has in the code. */
  readonly routes?: Readonly<Record<string, ProtocolRoute>>
  /** Loads the code; called once. */
  load(): Promise<ProtocolCode>
}

/** A route that a protocol adds to the server. */
export interface ProtocolRoute {
  readonly method: 'GET' | 'POST'
  /** Path in OpenAPI notation: `/ai-sdk/chat/{id}/stream`. */
  readonly path: string
  readonly summary: string
}

/** The code of a protocol. */
export interface ProtocolCode {
  /** Creates the format with the options of a query; throws `bad_request` for an unknown value. */
  format(query: URLSearchParams): LogFormat
  /** The plans of the routes, by name. */
  readonly plans?: Readonly<Record<string, RoutePlan>>
}

/** A request to a route of a protocol, with its content validated. */
export interface ProtocolRequest<Body = unknown, Query = unknown> {
  readonly body: Body
  readonly query: Query
  /** The whole query, for the options of the format. */
  readonly search: URLSearchParams
  /** The parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>
  readonly headers: Headers
}

/** The content of a successful response, for OpenAPI. */
export interface RouteReply {
  readonly description: string
  /** A schema describes a JSON response. */
  readonly content: 'stream' | StandardSchema
  /** Condition under which the response is 204 instead, without content. */
  readonly empty?: string
}

/** A parameter of a path. */
export interface RouteParameter {
  readonly schema: StandardSchema<string>
  /** A noun phrase for error texts: `the id of a chat, of 1 to 256 characters`. */
  readonly meaning: string
}

/** The schemas of a route's requests, and the plan of each. */
export interface RoutePlan<Body = unknown, Query = unknown> {
  readonly parameters?: Readonly<Record<string, RouteParameter>>
  readonly query?: StandardSchema<Query>
  /** The schema of the JSON body. It may be as large as an upload, because it may contain files. */
  readonly body?: StandardSchema<Body>
  /** Headers that it reads, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>
  readonly reply: RouteReply
  /** Error codes besides those that every such route can have. */
  readonly errors?: readonly ErrorCode[]
  /** Returns the plan of a request. It only reads the request: the server checks access and executes the plan. */
  plan(request: ProtocolRequest<Body, Query>): Plan | Promise<Plan>
}

/** Declares a plan whose request has the types of its schemas. */
export function definePlan<Body = undefined, Query = undefined>(
  plan: RoutePlan<Body, Query>,
): RoutePlan {
  return plan
}

/** Reads an option with a few values from a query; an empty object if it is absent. Throws `bad_request` for another value. */
export function readChoice<const Name extends string, const Value extends string>(
  query: URLSearchParams,
  name: Name,
  values: readonly Value[],
): { readonly [Key in Name]?: Value } {
  const given = query.get(name)
  if (given === null) return {}
  const value = values.find((known) => known === given)
  if (value !== undefined) return { [name]: value } as { readonly [Key in Name]?: Value }
  throw badRequest(`\`${name}\` must be one of ${values.join(', ')}.`)
}
