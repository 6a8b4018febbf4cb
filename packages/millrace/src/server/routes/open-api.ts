import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../errors/index.ts'
import { isJsonObject } from '../../json/index.ts'
import type { StandardSchema } from '../../protocols/port/index.ts'
import { statusOf } from '../requests/error-response.ts'
import { errorAnswer } from './answers.ts'
import type { Route, RouteAnswer } from './route.ts'

/** What any route may refuse: requests from where none are taken. */
const everywhere: readonly ErrorCode[] = ['forbidden']

/** What routes that ask for a token may refuse or fail with besides. */
const behindToken: readonly ErrorCode[] = ['unauthorized', 'internal']

/** What routes that take a body may refuse of it. */
const withBody: readonly ErrorCode[] = [
  'bad_request',
  'payload_too_large',
  'request_timeout',
  'unsupported_media_type',
]

/** Routes with the same path stand together. */
type Paths = Record<string, Record<string, object>>

/** Describes routes as an OpenAPI 3.1 document, from the schemas by which they read requests. */
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
      description: 'What an agent does, as one durable, resumable, bounded stream.',
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
  const told = { description, content: toContent(content) }
  return {
    200: told,
    ...(accepted !== undefined && {
      202: {
        description: 'The client prefers not to wait: the prompt is stored.',
        content: { 'application/json': { schema: toSchema(accepted, 'output') } },
      },
    }),
    ...(empty !== undefined && { 204: { description: empty } }),
    ...(illStatus !== undefined && { [illStatus]: told }),
  }
}

function toContent(content: RouteAnswer['content']): object {
  if (content === 'stream') return { 'text/event-stream': { schema: { type: 'string' } } }
  if (content === 'file') return { '*/*': {} }
  return { 'application/json': { schema: toSchema(content, 'output') } }
}

/** The statuses with which a route may answer a request that it refuses or fails. */
export function statusesOf(route: Route): readonly number[] {
  return [...new Set(codesOf(route).map(statusOf))].sort((a, b) => a - b)
}

function codesOf({ errors, body, isOpen = false }: Route): readonly ErrorCode[] {
  const ofBody = body === undefined ? [] : withBody
  return [...new Set([...everywhere, ...(isOpen ? [] : behindToken), ...ofBody, ...errors])]
}

/** Errors by status, each with its codes. */
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

/** What JSON Schema cannot say is left open; schemas that need it say themselves what they can. */
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
