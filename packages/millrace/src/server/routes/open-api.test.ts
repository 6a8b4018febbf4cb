import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type GuardedServer,
  openGuardedServer,
  sessions,
} from '../../../test/support/servers/guarded-server.ts'
import { MillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { leaseLost, type Store } from '../../stores/port/index.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { runBody } from '../requests/request-bodies.ts'
import { defaultProtocols } from '../../protocols/registry/index.ts'
import { createProtocols } from '../protocols/protocols.ts'
import { toOpenApi } from './open-api.ts'
import type { Route } from './route.ts'
import { allRoutes } from './routes.ts'

const { paused, waiting, ended, running, theirs, unknown } = sessions

interface Operation {
  readonly summary: string
  readonly security?: readonly object[]
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema: object }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { schema: object }>>
  }
  readonly responses: Readonly<Record<string, Described>>
}

interface Described {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema?: object }>>
}

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const routes = await allRoutes({ protocols: createProtocols(defaultProtocols()) })

const document = JSON.parse(JSON.stringify(await toOpenApi(routes))) as Document

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const operationOf = ({ method, path }: Route): Operation | undefined =>
  document.paths[path]?.[method.toLowerCase()]

const ajv = new Ajv2020({
  allowUnionTypes: true,
  formats: { uuid: true, 'date-time': true, binary: true },
})

/** Compiles a schema of the document, or the referenced one. */
function compile(schema: object) {
  const { $ref } = schema as { $ref?: string }
  if ($ref === undefined) return ajv.compile(schema)
  const found = document.components.schemas[$ref.replace('#/components/schemas/', '')]
  if (found === undefined) throw new Error(`${$ref} leads nowhere.`)
  return ajv.compile(found)
}

const post = (path: string, body: unknown, type = 'application/json'): Request =>
  new Request(`http://localhost${path}`, {
    method: 'POST',
    ...(body instanceof FormData
      ? { body }
      : {
          headers: { 'content-type': type },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
  })
const get = (path: string): Request => new Request(`http://localhost${path}`)
const remove = (path: string): Request =>
  new Request(`http://localhost${path}`, { method: 'DELETE' })

const change = (method: string, path: string, body?: object): Request =>
  new Request(`http://localhost${path}`, {
    method,
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })

const form = (fields: Readonly<Record<string, string>>): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.append('files', new File(['words'], 'a.txt', { type: 'text/plain' }))
  return data
}

const results = (agent_uuid: string, id = 'c1') => ({
  agent_uuid,
  tool_results: [{ tool_use_id: id, content: 'yes' }],
})
const approvals = (agent_uuid: string, id = 'a1') => ({
  agent_uuid,
  approvals: [{ tool_use_id: id, decision: 'refuse' }],
})
const claim = (client_id: string, agent_uuid: string = paused) => ({
  agent_uuid,
  tool_use_id: 'c1',
  client_id,
})
const chat = (id: string, messages: readonly object[] = [question]) => ({ id, messages })
const question = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }
const thread = (threadId: string, messages: readonly object[] = [asked]) => ({
  threadId,
  runId: 'r1',
  messages,
})
const asked = { id: 'm1', role: 'user', content: 'hello' }
const upload = { type: 'document', source: { type: 'file', file_id: 'upload_0' } }

/** A valid request for each route. */
const served: Readonly<Record<string, (server: GuardedServer) => Request | Promise<Request>>> = {
  'GET /health': () => get('/health'),
  'GET /openapi.json': () => get('/openapi.json'),
  'GET /doctor/stream': () => get('/doctor/stream?frames=2&interval_ms=1'),
  'POST /agent/run': () => post('/agent/run', { user_prompt: 'hello' }),
  'POST /agent/run/multipart': () => post('/agent/run/multipart', form({ user_prompt: 'hello' })),
  'POST /agent/tool_results': () => post('/agent/tool_results', results(paused)),
  'POST /agent/tool_approvals': () => post('/agent/tool_approvals', approvals(waiting)),
  'POST /agent/tool_claims': () => post('/agent/tool_claims', claim('tab1')),
  'POST /agent/upload': () => post('/agent/upload', form({ agent_uuid: paused })),
  'GET /agent/sessions': () => get('/agent/sessions'),
  'GET /agent/{uuid}': () => get(`/agent/${waiting}`),
  'PATCH /agent/{uuid}': () => change('PATCH', `/agent/${ended}`, { title: 'Rome' }),
  'POST /agent/{uuid}/share': () => post(`/agent/${ended}/share`, {}),
  'DELETE /agent/{uuid}/share': () => remove(`/agent/${ended}/share`),
  'DELETE /agent/{uuid}': async ({ store }) => {
    const session = crypto.randomUUID()
    await store.open(session)
    return change('DELETE', `/agent/${session}`)
  },
  'GET /agent/{uuid}/stream': () => get(`/agent/${ended}/stream`),
  'GET /agent/{uuid}/conversations': () => get(`/agent/${ended}/conversations`),
  'GET /agent/{uuid}/times': () => get(`/agent/${ended}/times`),
  'GET /agent/{uuid}/decisions': async ({ handler }) => {
    const decided = await handler.fetch(post('/agent/tool_approvals', approvals(waiting)))
    await decided.text()
    return get(`/agent/${waiting}/decisions`)
  },
  'POST /agent/{uuid}/stop': () => post(`/agent/${paused}/stop`, {}),
  'POST /agent/{uuid}/steer': () => post(`/agent/${running}/steer`, { user_prompt: 'hurry' }),
  'POST /agent/{uuid}/events': async ({ handler }) => {
    const session = crypto.randomUUID()
    const asking = { agent_uuid: session, agent_type: 'waits', user_prompt: 'go' }
    await handler.fetch(withHeader(post('/agent/run', asking), 'prefer', 'respond-async'))
    return post(`/agent/${session}/events`, {})
  },
  'GET /agent/{uuid}/commands': () => get(`/agent/${ended}/commands`),
  'POST /agent/{uuid}/fork': () => post(`/agent/${ended}/fork`, { title: 'Another way' }),
  'GET /agent/{uuid}/branches': async ({ handler }) => {
    await handler.fetch(post(`/agent/${ended}/fork`, {}))
    return get(`/agent/${ended}/branches`)
  },
  'DELETE /agent/{uuid}/queue/{message_id}': async ({ handler }) => {
    const later = { user_prompt: 'later', message_id: 'q1', when_busy: 'queue' }
    const queued = post('/agent/run', { agent_uuid: paused, ...later })
    await handler.fetch(withHeader(queued, 'prefer', 'respond-async'))
    return remove(`/agent/${paused}/queue/q1`)
  },
  'GET /agent/{uuid}/images/{id}': async ({ store }) => {
    const id = 'img_0123456789ab'
    await store.putFile(paused, { id, mediaType: 'image/png', bytes: new Uint8Array([1]) })
    return get(`/agent/${paused}/images/${id}`)
  },
  'GET /agent/{uuid}/files/{id}': ({ files }) => get(`/agent/${paused}/files/${files.own}`),
  'POST /ai-sdk/chat': () => post('/ai-sdk/chat', chat('new')),
  'GET /ai-sdk/chat/{id}/stream': () => get(`/ai-sdk/chat/${running}/stream`),
  'GET /ai-sdk/chat/{id}/messages': () => get(`/ai-sdk/chat/${ended}/messages`),
  'POST /ag-ui': () => post('/ag-ui', thread('new')),
}

interface Provocation {
  readonly options?: Partial<HandlerOptions>
  readonly request: Request
}

/** A request with a status that any route may return. */
type Provoke = (route: Route, good: Request) => Provocation

/** A store that always fails. */
const failing = Object.fromEntries(
  Object.keys(createMemoryStore()).map((name) => [name, () => Promise.reject(new Error('full'))]),
) as unknown as Store

const withHeader = (request: Request, name: string, value: string): Request => {
  const headers = new Headers(request.headers)
  headers.set(name, value)
  return new Request(request, { headers })
}

const withLog = (request: Request): Request => withHeader(request, 'millrace-log', 'another')

const anyRoute: Readonly<Record<number, Provoke>> = {
  400: ({ path, method, body, parameters }) => {
    const target = path.replace('{uuid}', 'nobody').replace('{id}', 'x')
    if (method === 'GET') return { request: get(`${target}?limit=x`) }
    if (method === 'DELETE') return { request: remove(target) }
    if (parameters !== undefined) return { request: new Request(post(target, {}), { method }) }
    const type = body?.type === 'application/json' ? body.type : 'multipart/form-data; boundary=b'
    return { request: post(target, '{', type) }
  },
  401: (_, request) => ({ request, options: { token: 'secret' } }),
  403: (_, good) => ({ request: withHeader(good, 'origin', 'https://evil.example') }),
  408: (_, { url, method, headers }) => {
    const silent = { method, headers, body: new ReadableStream(), duplex: 'half' }
    return { request: new Request(url, silent), options: { limits: { bodyIdleTimeoutMs: 10 } } }
  },
  410: (_, good) => ({ request: withLog(good) }),
  413: (_, request) => ({ request, options: { limits: { maxBodyBytes: 1, maxUploadBytes: 1 } } }),
  415: (_, good) => ({ request: withHeader(good, 'content-type', 'text/plain') }),
  429: (_, request) => ({
    request,
    options: {
      store: ownedBy('somebody', server.store),
      context: () => 'somebody',
      owner: String,
      limits: { maxReadersPerUser: 0, maxUploadsPerUser: 0 },
    },
  }),
  500: (_, request) => ({
    request,
    options: {
      authorize: () => {
        throw new Error('secret')
      },
    },
  }),
  503: (_, request) => ({
    request,
    options: { store: { ...failing, isDurable: false, onCommand: () => () => {} } },
  }),
}

function ownedBy(owner: string, store: Store): Store {
  const info: Store['info'] = async (session) => {
    const found = await store.info(session)
    return found && { ...found, owner }
  }
  return { ...store, info }
}

const lost: Store['read'] = () => Promise.reject(new MillraceError('log_truncated', 'lost'))

const hiding: Partial<HandlerOptions> = { authorize: (_, __, session) => session !== theirs }

/** The specific errors of some routes. */
const ownWays: Readonly<Record<string, (server: GuardedServer) => Provocation>> = {
  '400 GET /doctor/stream': () => ({ request: get('/doctor/stream?frames=65') }),
  '503 GET /doctor/stream': () => ({
    request: get('/doctor/stream'),
    options: { limits: { maxReaders: 0 } },
  }),
  '400 GET /ai-sdk/chat/{id}/stream': () => ({
    request: get(`/ai-sdk/chat/${'x'.repeat(257)}/stream`),
  }),
  '404 GET /ai-sdk/chat/{id}/stream': () => ({
    request: get(`/ai-sdk/chat/${theirs}/stream`),
    options: hiding,
  }),
  '404 GET /ai-sdk/chat/{id}/messages': () => ({
    request: get(`/ai-sdk/chat/${theirs}/messages`),
    options: hiding,
  }),
  '410 GET /ai-sdk/chat/{id}/stream': ({ store }) => ({
    request: get(`/ai-sdk/chat/${running}/stream`),
    options: { store: { ...store, read: lost } },
  }),
  '410 GET /ai-sdk/chat/{id}/messages': ({ store }) => ({
    request: get(`/ai-sdk/chat/${ended}/messages`),
    options: { store: { ...store, read: lost } },
  }),
  '404 POST /ai-sdk/chat': () => ({
    request: post('/ai-sdk/chat', chat(theirs)),
    options: hiding,
  }),
  '409 POST /ai-sdk/chat': () => ({
    request: post('/ai-sdk/chat', chat(running)),
  }),
  '404 POST /ag-ui': () => ({ request: post('/ag-ui', thread(theirs)), options: hiding }),
  '409 POST /ag-ui': () => ({ request: post('/ag-ui', thread(running)) }),
  '404 POST /agent/run': () => ({ request: post('/agent/run', { user_prompt: [upload] }) }),
  '404 POST /agent/run/multipart': () => ({
    request: post('/agent/run/multipart', form({ agent_uuid: theirs })),
    options: hiding,
  }),
  '404 POST /agent/tool_results': () => ({
    request: post('/agent/tool_results', results(paused, 'c2')),
  }),
  '404 POST /agent/tool_approvals': () => ({
    request: post('/agent/tool_approvals', approvals(unknown)),
  }),
  '404 POST /agent/tool_claims': () => ({
    request: post('/agent/tool_claims', claim('tab1', unknown)),
  }),
  '404 POST /agent/upload': () => ({
    request: post('/agent/upload', form({ agent_uuid: theirs })),
    options: hiding,
  }),
  '404 GET /agent/{uuid}': () => ({ request: get(`/agent/${unknown}`) }),
  '404 GET /agent/{uuid}/stream': () => ({ request: get(`/agent/${unknown}/stream`) }),
  '404 GET /agent/{uuid}/times': () => ({
    request: get(`/agent/${unknown}/times`),
  }),
  '404 GET /agent/{uuid}/conversations': () => ({
    request: get(`/agent/${unknown}/conversations`),
  }),
  '404 GET /agent/{uuid}/decisions': () => ({
    request: get(`/agent/${unknown}/decisions`),
  }),
  '404 GET /agent/{uuid}/branches': () => ({ request: get(`/agent/${unknown}/branches`) }),
  '404 POST /agent/{uuid}/fork': () => ({ request: post(`/agent/${unknown}/fork`, {}) }),
  '404 PATCH /agent/{uuid}': () => ({
    request: change('PATCH', `/agent/${unknown}`, { title: 'x' }),
  }),
  '409 PATCH /agent/{uuid}': ({ store }) => ({
    request: change('PATCH', `/agent/${ended}`, { title: 'x' }),
    options: { store: { ...store, append: () => Promise.reject(leaseLost(ended, 1, 2)) } },
  }),
  '404 DELETE /agent/{uuid}': () => ({ request: change('DELETE', `/agent/${unknown}`) }),
  '409 DELETE /agent/{uuid}': ({ store }) => ({
    request: change('DELETE', `/agent/${ended}`),
    options: { store: { ...store, open: () => Promise.reject(leaseLost(ended, 1, 2)) } },
  }),
  '404 POST /agent/{uuid}/share': () => ({ request: post(`/agent/${unknown}/share`, {}) }),
  '404 DELETE /agent/{uuid}/share': () => ({ request: remove(`/agent/${unknown}/share`) }),
  '404 POST /agent/{uuid}/stop': () => ({ request: post(`/agent/${unknown}/stop`, {}) }),
  '404 POST /agent/{uuid}/steer': () => ({
    request: post(`/agent/${unknown}/steer`, { user_prompt: 'x' }),
  }),
  '404 POST /agent/{uuid}/events': () => ({ request: post(`/agent/${unknown}/events`, {}) }),
  '409 POST /agent/{uuid}/events': () => ({ request: post(`/agent/${ended}/events`, {}) }),
  '404 GET /agent/{uuid}/commands': () => ({ request: get(`/agent/${unknown}/commands`) }),
  '409 GET /agent/{uuid}/commands': () => ({
    request: get(`/agent/${ended}/commands?cursor=99999`),
  }),
  '410 GET /agent/{uuid}/commands': ({ store }) => ({
    request: get(`/agent/${ended}/commands?cursor=1`),
    options: { store: trimmed(store) },
  }),
  '404 DELETE /agent/{uuid}/queue/{message_id}': () => ({
    request: remove(`/agent/${paused}/queue/none`),
  }),
  '409 DELETE /agent/{uuid}/queue/{message_id}': ({ store }) => ({
    request: remove(`/agent/${paused}/queue/begun`),
    options: {
      store: {
        ...store,
        command: async () => ({ seq: 1, key: 'client:begun', body: 'done', isPending: false }),
      },
    },
  }),
  '404 GET /agent/{uuid}/images/{id}': () => ({
    request: get(`/agent/${paused}/images/img_ffffffffffff`),
  }),
  '404 GET /agent/{uuid}/files/{id}': () => ({ request: get(`/agent/${paused}/files/none`) }),
  '409 POST /agent/run': () => ({
    request: post('/agent/run', { agent_uuid: ended, agent_type: 'asks', user_prompt: 'x' }),
  }),
  '409 POST /agent/run/multipart': () => ({
    request: post('/agent/run/multipart', form({ agent_uuid: ended, agent_type: 'asks' })),
  }),
  '409 POST /agent/tool_results': () => {
    const [first] = results(paused).tool_results
    const tool_results = [first, { ...first, content: 'no' }]
    return { request: post('/agent/tool_results', { agent_uuid: paused, tool_results }) }
  },
  '409 POST /agent/tool_approvals': () => {
    const [first] = approvals(waiting).approvals
    const both = [first, { ...first, decision: 'approve' }]
    return { request: post('/agent/tool_approvals', { agent_uuid: waiting, approvals: both }) }
  },
  '409 POST /agent/{uuid}/steer': () => ({
    request: post(`/agent/${ended}/steer`, { user_prompt: 'x' }),
  }),
  '409 POST /agent/upload': ({ store }) => ({
    request: post('/agent/upload', form({ agent_uuid: ended, message_id: 'm1' })),
    options: { store: { ...store, append: () => Promise.reject(leaseLost(ended, 1, 2)) } },
  }),
  '409 POST /agent/{uuid}/fork': () => ({ request: post(`/agent/${ended}/fork`, { after: 1 }) }),
  '409 POST /agent/{uuid}/stop': ({ store }) => ({
    request: post(`/agent/${paused}/stop`, {}),
    options: { store: { ...store, append: () => Promise.reject(leaseLost(paused, 1, 2)) } },
  }),
  '409 GET /agent/{uuid}/stream': () => ({
    request: get(`/agent/${ended}/stream?cursor=99999`),
  }),
  '410 GET /agent/{uuid}/stream': ({ store }) => ({
    request: get(`/agent/${ended}/stream?cursor=0`),
    options: { store: trimmed(store) },
  }),
  '410 POST /agent/run': () => ({
    request: withLog(post('/agent/run', { agent_uuid: ended, user_prompt: 'x' })),
  }),
  '410 POST /agent/run/multipart': () => ({
    request: withLog(post('/agent/run/multipart', form({ agent_uuid: ended }))),
  }),
  '410 POST /agent/upload': () => ({
    request: withLog(post('/agent/upload', form({ agent_uuid: ended }))),
  }),
  '410 POST /ag-ui': ({ store }) => ({
    request: withHeader(post('/ag-ui', thread(ended)), 'last-event-id', '1'),
    options: { store: trimmed(store) },
  }),
}

/** A store that has dropped the beginning of its logs. */
function trimmed(store: Store): Store {
  return {
    ...store,
    info: async (session) => {
      const info = await store.info(session)
      return info && { ...info, earliest: 3 }
    },
  }
}

let server: GuardedServer

beforeAll(async () => {
  server = await openGuardedServer()
})

afterAll(() => server.close())

const rows = routes.map((route) => [nameOf(route), route] as const)

describe('the description is complete', () => {
  test('is OpenAPI 3.1, and is served as generated', async () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
    expect(document.info).toMatchObject({ title: 'Millrace', version: expect.any(String) })
    const response = await server.handler.fetch(get('/openapi.json'))
    expect(await response.json()).toEqual(document)
  })

  test.each(rows)('%s', (_, route) => {
    const operation = operationOf(route)
    if (operation === undefined) throw new Error('It is not described.')
    expect(operation.summary).toMatch(/^[A-Z].*\.$/)
    const placeholders = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual(placeholders)
    expect(inPath.every(({ required }) => required === true)).toBe(true)
    const contents = [operation.requestBody, ...Object.values(operation.responses)]
    const schemas = contents.flatMap((content) => Object.values(content?.content ?? {}))
    for (const { schema } of schemas) if (schema !== undefined) compile(schema)
    for (const { schema } of operation.parameters) compile(schema)
    for (const { description } of Object.values(operation.responses))
      expect(description).toMatch(/\.$/)
  })
})

describe('every route returns the described responses', () => {
  test.each(rows)('%s', async (name, route) => {
    const own = await openGuardedServer()
    const request = await served[name]?.(own)
    if (request === undefined) throw new Error('There is no request for it.')
    const response = await own.handler.fetch(request)
    expect(response.status).toBe(200)
    const described = operationOf(route)?.responses[200]?.content ?? {}
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    const text = route.answer.content === 'stream' ? '' : await response.text()
    if (route.answer.content === 'stream') await response.body?.cancel()
    expect(Object.keys(described).some((one) => one === type || one === '*/*')).toBe(true)
    const schema = described['application/json']?.schema
    if (schema !== undefined) {
      const validate = compile(schema)
      validate(JSON.parse(text))
      expect(validate.errors).toBeNull()
    }
    await own.close()
  })
})

describe('every route rejects requests as described', () => {
  const cases = routes.flatMap((route) =>
    Object.keys(operationOf(route)?.responses ?? {})
      .map(Number)
      .filter((status) => status >= 400)
      .map((status) => [status, nameOf(route), route] as const),
  )

  test('has as many error responses as described', () => {
    expect(cases.length).toBeGreaterThan(100)
    const names = cases.map(([status, name]) => `${status} ${name}`)
    const strays = Object.keys(ownWays).filter((name) => !names.includes(name))
    expect(strays).toEqual([])
  })

  test.each(cases)('%i %s', async (status, name, route) => {
    const good = await served[name]?.(server)
    if (good === undefined) throw new Error('There is no request for it.')
    if (name === 'POST /agent/tool_claims' && status === 409) {
      await server.handler.fetch(post('/agent/tool_claims', claim('tab1')))
      const other = await server.handler.fetch(post('/agent/tool_claims', claim('tab2')))
      expect(other.status).toBe(409)
      return
    }
    const provoke = ownWays[`${status} ${name}`]
    const { request, options } =
      provoke === undefined
        ? (anyRoute[status]?.(route, good) ?? { request: good })
        : provoke(server)
    const handler = options === undefined ? server.handler : server.reopen(options)
    const response = await handler.fetch(request)
    expect(response.status).toBe(status)
    const described = operationOf(route)?.responses[status]?.content['application/json']?.schema
    const validate = compile(described ?? {})
    validate(await response.json())
    expect(validate.errors).toBeNull()
  })
})

test('[SSE-9] describes empty responses of streams', () => {
  const empty = routes.filter((route) => operationOf(route)?.responses[204] !== undefined)
  expect(empty.map(nameOf)).toEqual([
    'GET /agent/{uuid}/stream',
    'GET /ai-sdk/chat/{id}/stream',
    'POST /ag-ui',
  ])
})

test('describes share, stop and fork with an optional body, which a page of another site still cannot send', async () => {
  const own = await openGuardedServer()
  const stop = (headers: Readonly<Record<string, string>> = {}) =>
    new Request(`http://localhost/agent/${running}/stop`, { method: 'POST', headers })
  const optional = routes.filter((route) => operationOf(route)?.requestBody?.required === false)
  expect(optional.map(nameOf)).toEqual([
    'POST /agent/{uuid}/share',
    'POST /agent/{uuid}/stop',
    'POST /agent/{uuid}/fork',
  ])
  const foreign = await own.handler.fetch(stop({ origin: 'https://evil.example' }))
  expect(foreign.status).toBe(403)
  const response = await own.handler.fetch(stop())
  expect([response.status, await response.json()]).toEqual([200, { stopped: true }])
  await own.close()
})

test('the described prompt equals the accepted one', () => {
  const validate = compile(
    operationOf(routes.find(({ path }) => path === '/agent/run')!)!.requestBody!.content[
      'application/json'
    ]!.schema,
  )
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }
  const prompts: readonly unknown[] = [
    'words',
    [{ type: 'text', text: 'words' }, image],
    { role: 'user', content: 'words' },
    { role: 'user', content: [image] },
    7,
    null,
    {},
    [7],
    [{ type: 'text' }],
    [{ type: 'image' }],
    [{ type: 'tool_result', tool_use_id: 'x', content: '' }],
    { role: 'assistant', content: 'words' },
  ]
  for (const user_prompt of prompts) {
    const isTaken = runBody.safeParse({ user_prompt }).success
    expect([user_prompt, validate({ user_prompt })]).toEqual([user_prompt, isTaken])
  }
})
