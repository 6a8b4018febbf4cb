import { afterEach, expect, test } from 'vitest'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'

const handlers: Handler[] = []
afterEach(async () => {
  for (const handler of handlers.splice(0)) await handler.close()
})

function open(options: Partial<HandlerOptions> = {}): Handler {
  const agent = createAgent({ name: 'any', model: createScriptedModel([]) })
  const base = { agents: { any: agent }, defaultAgent: 'any', store: createMemoryStore() }
  const handler = createHandler({ ...base, ...options })
  handlers.push(handler)
  return handler
}

const ask = (handler: Handler, query: string, headers: HeadersInit = {}, method = 'GET') =>
  handler.fetch(new Request(`http://localhost/doctor/stream?${query}`, { headers, method }))

test('the first frame names the headers that arrived, without their values', async () => {
  const headers = {
    accept: 'text/event-stream',
    authorization: 'Bearer secret-1',
    'last-event-id': '1',
    'x-forwarded-for': '192.0.2.7',
    'x-other': 'private',
  }
  const response = await ask(open({ version: '9' }), 'frames=2&interval_ms=0', headers)
  const text = await response.text()
  const received = JSON.parse(/event: request\ndata: (.*)/.exec(text)?.[1] ?? '')
  expect(received).toMatchObject({
    after: 1,
    headers: ['accept', 'authorization', 'last-event-id'],
    forwarded: ['x-forwarded-for'],
    heartbeat_ms: 15_000,
    version: '9',
  })
  expect(text).not.toMatch(/secret-1|192\.0\.2\.7|x-other|private/)
  expect([...text.matchAll(/^id: (\d+)/gm)].map(([, id]) => id)).toEqual(['2'])
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
})

test('it counts towards the quota of readers while it is open', async () => {
  const handler = open()
  const response = await ask(handler, 'frames=2&idle_ms=500000')
  expect(handler.activity().readers).toBe(1)
  await response.body?.cancel()
  expect(handler.activity().readers).toBe(0)
  expect((await ask(handler, 'idle_ms=500000', {}, 'HEAD')).status).toBe(200)
  expect(handler.activity().readers).toBe(0)
})

test('a client without access to health has no access to the doctor route', async () => {
  const handler = open({ authorize: (_, action) => action !== 'health' })
  expect((await ask(handler, '')).status).toBe(403)
})

test.each([
  'frames=0',
  'frames=65',
  'interval_ms=10000&frames=61',
  'idle_ms=600001',
  'heartbeat_ms=9',
])('%s exceeds a bound', async (query) => {
  expect((await ask(open(), query)).status).toBe(400)
})

test('a missing token is distinguished from a wrong one', async () => {
  const handler = open({ token: 'right' })
  const tokenOf = async (headers: HeadersInit) =>
    ((await (await ask(handler, '', headers)).json()) as { error: { token: string } }).error.token
  expect(await tokenOf({})).toBe('missing')
  expect(await tokenOf({ authorization: 'Bearer other' })).toBe('wrong')
})
