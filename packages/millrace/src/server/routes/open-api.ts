import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../errors/index.ts'
import { isJsonObject, type StandardSchema } from '../../json/index.ts'
import { statusOf } from '../requests/error-response.ts'
import { errorAnswer } from './answers.ts'
import type { Route, RouteAnswer } from './route.ts'

/** Errors of every route: the host or the origin is not allowed. */
const everywhere: readonly ErrorCode[] = ['forbidden']

/** Additional errors of routes that require a token. */
const behindToken: readonly ErrorCode[] = ['unauthorized', 'internal']

/** Additional errors of routes with a body. */
const withBody: readonly ErrorCode[] = [
  'bad_request',
  'payload_too_large',
  'request_timeout',
  'unsupported_media_type',
]

/** Operations by path and method. */
type Paths = Record<string, Record<string, object>>

/** Describes routes as an OpenAPI 3.1 document, from the schemas that validate requests. */
export function toOpenApi(routes: readonly Route[]): object {
  const paths: Paths = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: toOperation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: '1',
      description: 'The activity of an agent as one durable, resumable, bounded stream.',
    },
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: { Error: toSchema(errorAnswer, 'output') },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function toOperation(route: Route): object {
  const { summary, body, isOpen = false } = route
  return {
    summary,
    ...(isOpen && { security: [] }),
    parameters: toParameters(route),
    ...(body !== undefined && {
      requestBody: {
        required: body.isOptional !== true,
        content: { [body.type]: { schema: toSchema(body.schema, 'input') } },
      },
    }),
    responses: { ...toErrors(route), ...toAnswers(route) },
  }
}

function toParameters({ parameters = {}, query, headers = {} }: Route): object[] {
  const { properties } = query === undefined ? {} : toSchema(query, 'input')
  return [
    ...Object.entries(parameters).map(([name, { schema, meaning }]) => ({
      name,
      in: 'path',
      required: true,
      description: `It is ${meaning}.`,
      schema: toSchema(schema, 'input'),
    })),
    ...Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
      name,
      in: 'query',
      schema,
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ]
}

function toAnswers({ answer }: Route): Record<string, object> {
  const { description, content, illStatus, empty, accepted } = answer
  const response = { description, content: toContent(content) }
  return {
    200: response,
    ...(accepted !== undefined && {
      202: {
        description: 'The client prefers not to wait: the prompt is stored.',
        content: { 'application/json': { schema: toSchema(accepted, 'output') } },
      },
    }),
    ...(empty !== undefined && { 204: { description: empty } }),
    ...(illStatus !== undefined && { [illStatus]: response }),
  }
}

function toContent(content: RouteAnswer['content']): object {
  if (content === 'stream') return { 'text/event-stream': { schema: { type: 'string' } } }
  if (content === 'file') return { '*/*': {} }
  return { 'application/json': { schema: toSchema(content, 'output') } }
}

/** Returns the statuses of a route's errors. */
export function statusesOf(route: Route): readonly number[] {
  return [...new Set(codesOf(route).map(statusOf))].sort((a, b) => a - b)
}

function codesOf({ errors, body, isOpen = false }: Route): readonly ErrorCode[] {
  const ofBody = body === undefined ? [] : withBody
  return [...new Set([...everywhere, ...(isOpen ? [] : behindToken), ...ofBody, ...errors])]
}

/** Groups the errors of a route by status, each with its codes. */
function toErrors(route: Route): Record<string, object> {
  const codes = codesOf(route)
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  return Object.fromEntries(
    statusesOf(route).map((status) => {
      const meant = codes.filter((code) => statusOf(code) === status)
      const lines = meant.map((code) => `\`${code}\`: ${errorCodes[code]}`)
      return [status, { description: lines.join(' '), content }]
    }),
  )
}

/** Converts a schema to JSON Schema. Rules that it cannot express are left out, unless the schema describes them. */
function toSchema(schema: StandardSchema, io: 'input' | 'output') {
  const { jsonSchema } = schema['~standard']
  const { $schema: _, ...json } = isZod(schema)
    ? z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    : (jsonSchema?.input({ target: 'draft-2020-12' }) ?? {})
  return json
}

function isZod(schema: StandardSchema | z.ZodType): schema is z.ZodType {
  return '_zod' in schema
}
