import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../errors/index.ts'
import { isJsonObject, type StandardSchema } from '../../json/index.ts'
import { statusOf } from '../requests/error-status.ts'
import type { LazySchema } from '../requests/decode-body.ts'
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
export async function toOpenApi(routes: readonly Route[], basePath = ''): Promise<object> {
  const paths: Paths = {}
  for (const route of routes) {
    const operation = await toOperation(route)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: '1',
      description: 'The activity of an agent as one durable, resumable, bounded stream.',
    },
    ...(basePath !== '' && { servers: [{ url: basePath }] }),
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: { Error: await toSchema(async () => errorAnswer, 'output') },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

async function toOperation(route: Route): Promise<object> {
  const { summary, body, isOpen = false } = route
  return {
    summary,
    ...(isOpen && { security: [] }),
    parameters: await toParameters(route),
    ...(body !== undefined && {
      requestBody: {
        required: body.isOptional !== true,
        content: { [body.type]: { schema: await toSchema(body.schema, 'input') } },
      },
    }),
    responses: { ...toErrors(route), ...(await toAnswers(route)) },
  }
}

async function toParameters({ parameters = {}, query, headers = {} }: Route): Promise<object[]> {
  const { properties } = query === undefined ? {} : await toSchema(query, 'input')
  const ofPath = Object.entries(parameters).map(async ([name, { schema, meaning }]) => ({
    name,
    in: 'path',
    required: true,
    description: `It is ${meaning}.`,
    schema: await toSchema(schema, 'input'),
  }))
  return [
    ...(await Promise.all(ofPath)),
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

async function toAnswers({ answer }: Route): Promise<Record<string, object>> {
  const { description, content, illStatus, empty, accepted } = answer
  const response = { description, content: await toContent(content) }
  return {
    200: response,
    ...(accepted !== undefined && {
      202: {
        description: 'The client prefers not to wait: the prompt is stored.',
        content: { 'application/json': { schema: await toSchema(accepted, 'output') } },
      },
    }),
    ...(empty !== undefined && { 204: { description: empty } }),
    ...(illStatus !== undefined && { [illStatus]: response }),
  }
}

async function toContent(content: RouteAnswer['content']): Promise<object> {
  if (content === 'stream') return { 'text/event-stream': { schema: { type: 'string' } } }
  if (content === 'file') return { '*/*': {} }
  return { 'application/json': { schema: await toSchema(content, 'output') } }
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
async function toSchema(load: LazySchema, io: 'input' | 'output') {
  const schema = await load()
  const { jsonSchema } = schema['~standard']
  const { $schema: _, ...json } = isZod(schema)
    ? z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    : (jsonSchema?.input({ target: 'draft-2020-12' }) ?? {})
  return json
}

function isZod(schema: StandardSchema | z.ZodType): schema is z.ZodType {
  return '_zod' in schema
}
