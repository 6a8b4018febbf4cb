import { afterEach, describe, expect, test } from 'vitest'
import { toAgent } from '../../test/support/servers/test-server.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import type { Store } from '../stores/port/index.ts'
import { createPostgresStore } from '../stores/postgres/index.ts'
import { createRedisStore } from '../stores/redis/index.ts'
import { createHandler, type Handler } from './handler.ts'
import type { HandlerOptions } from './handler-options.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const silent = toAgent(async function* ({ agent }, { signal } = {}) {
  yield { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] }
  await new Promise((resolve) => signal?.addEventListener('abort', resolve))
})

function open(options: Partial<HandlerOptions> = {}) {
  const errors: unknown[] = []
  const handler = createHandler({
    agents: { silent },
    defaultAgent: 'silent',
    store: createMemoryStore(),
    node: 'mill:1:2',
    version: '9.9.9',
    onError: (error) => errors.push(error),
    ...options,
  })
  handlers.push(handler)
  const ask = async () => {
    const response = await handler.fetch(new Request('http://localhost/health'))
    return { status: response.status, body: await response.json() }
  }
  return { handler, ask, errors }
}

/** Stores retry for longer than a health check lasts. */
const patient = { commandTimeoutMs: 20_000 }

const failingStore = (ping: Store['ping']): Store => ({ ...createMemoryStore(), ping })

describe('health', () => {
  test('reports the store, the agents and the activity', async () => {
    const { handler, ask } = open()
    const about = {
      node: 'mill:1:2',
      version: '9.9.9',
      store: 'available',
      agents: ['silent'],
      default_agent: 'silent',
    }
    expect(await ask()).toEqual({
      status: 200,
      body: { status: 'healthy', ...about, active_runs: 0, readers: 0 },
    })
    const run = await handler.fetch(
      new Request('http://localhost/agent/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_prompt: 'go' }),
      }),
    )
    expect((await ask()).body).toMatchObject({ active_runs: 1, readers: 1 })
    expect(handler.activity()).toEqual({ runs: 1, readers: 1 })
    await run.body?.cancel()
    expect((await ask()).body).toMatchObject({ active_runs: 1, readers: 0 })
  })

  test('is 503 while the store fails, without the cause', async () => {
    const cause = new Error('disk on fire')
    const { ask, errors } = open({ store: failingStore(() => Promise.reject(cause)) })
    const { status, body } = await ask()
    expect(status).toBe(503)
    expect(body).toMatchObject({ status: 'unhealthy', store: 'unavailable' })
    expect(JSON.stringify(body)).not.toContain('fire')
    expect(errors).toEqual([cause])
  })

  test('times out, and shares one request between checks', async () => {
    let pings = 0
    const ping = () => {
      pings++
      return new Promise<void>(() => {})
    }
    const { ask } = open({ store: failingStore(ping), limits: { healthTimeoutMs: 10 } })
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(pings).toBe(1)
    await ask()
    expect(pings).toBe(2)
  })

  test.each([
    ['Redis', () => createRedisStore({ url: 'redis://127.0.0.1:1', ...patient })],
    ['Postgres', () => createPostgresStore({ url: 'postgres://127.0.0.1:1/mill', ...patient })],
  ])(
    'reports that %s refuses connections, though the store still retries',
    async (name, create) => {
      const store = create()
      const { ask } = open({ store, limits: { healthTimeoutMs: 3_000 } })
      const { status, body } = await ask()
      expect(status).toBe(503)
      const reason = `No server accepts connections at the address of ${name}.`
      expect(body).toMatchObject({ reason: expect.stringContaining(reason) })
      await store.close()
    },
    120_000,
  )

  test.each([false, new Response('no', { status: 401 })])(
    'reports only the status without authorization (%s)',
    async (verdict) => {
      const { ask } = open({ authorize: (_, action) => (action === 'health' ? verdict : true) })
      expect(await ask()).toEqual({ status: 200, body: { status: 'healthy' } })
    },
  )
})
