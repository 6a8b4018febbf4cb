import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  call,
  confirm,
  createGate,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import {
  byAnswers,
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { redisMissing, startRedis } from '../../../test/support/stores/redis-server.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import {
  openWebhookReceiver,
  signatureOf,
  type WebhookReceiver,
  withStatus,
} from '../../../test/support/servers/webhook-receiver.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { verifyWebhook } from '../../webhooks/webhook-signature.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { createRedisStore } from '../../stores/redis/index.ts'
import { createSqliteStore } from '../../stores/sqlite/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import type { RunEvent } from '../../webhooks/index.ts'

const nextPath = temporaryPaths()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const session = '00000000-0000-4000-8000-000000000000'
const poll = { timeout: 20_000 }

async function openReceiver(...given: Parameters<typeof openWebhookReceiver>) {
  const receiver = await openWebhookReceiver(...given)
  closing.push(receiver.close)
  return receiver
}

const toWebhook = ({ url, secret }: WebhookReceiver) => ({ url, secret })

interface Setup extends Partial<HandlerOptions> {
  readonly replies?: readonly ScriptedReply[]
  readonly agent?: Partial<AgentOptions>
}

/** A handler with a store, in memory by default, and its errors. */
function open({ replies = [{ content: [text('bread')] }], agent, ...options }: Setup) {
  const errors: string[] = []
  const model = createScriptedModel(replies, byAnswers)
  const store = options.store ?? createMemoryStore()
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, ...agent }) },
    defaultAgent: 'miller',
    onError: (error) => errors.push(String(error)),
    ...options,
    limits: { webhookRetryMs: 50, ...options.limits },
    store,
  })
  closing.push(handler.close)
  return { handler, store, errors }
}

const post = (handler: Handler, path: string, body: object): Promise<Response> =>
  handler.fetch(
    new Request(`http://localhost/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

const ask = async (handler: Handler, uuid = session): Promise<string> =>
  (await post(handler, 'run', { agent_uuid: uuid, user_prompt: 'go' })).text()

const pendingOf = async (store: Store): Promise<number | undefined> =>
  (await store.info(session))?.pending

describe('[HOOK-1] an event', () => {
  test('reports a completed run to `onEvent` and to endpoints', async () => {
    const receiver = await openReceiver()
    const received: RunEvent[] = []
    const webhooks = [toWebhook(receiver)]
    const { handler, store, errors } = open({ webhooks, onEvent: (event) => received.push(event) })
    await ask(handler)
    await expect.poll(() => receiver.deliveries.length, poll).toBe(1)
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    expect(receiver.deliveries[0]?.event).toEqual(received[0])
    expect(received).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: 'run.completed',
        timestamp: expect.stringMatching(/Z$/),
        data: {
          agent_uuid: session,
          agent_type: 'miller',
          run: 1,
          run_id: expect.any(String),
          stop_reason: 'end_turn',
          total_steps: 1,
          usage: expect.objectContaining({ output_tokens: expect.any(Number) }),
          cost: null,
          final_response: 'bread',
          is_truncated: false,
        },
      },
    ])
    expect(errors).toEqual([])
  })

  test('reports a failed run with the error of its stream', async () => {
    const receiver = await openReceiver()
    const replies: ScriptedReply[] = [{ throws: new Error('key sk-ant-abcdefgh1234') }]
    const { handler } = open({ webhooks: [toWebhook(receiver)], replies })
    const stream = await ask(handler)
    await expect.poll(() => receiver.deliveries.length, poll).toBe(1)
    const { event, body } = receiver.deliveries[0] ?? {}
    expect(event).toMatchObject({ type: 'run.failed', data: { stop_reason: 'error' } })
    const { message = '' } = event?.type === 'run.failed' ? (event.data.error ?? {}) : {}
    expect(message).not.toBe('')
    expect(stream).toContain(JSON.stringify(message).slice(1, -1))
    expect(body).not.toContain('abcdefgh1234')
  })

  test('reports the pending calls of each pause, and the end of the resumed run', async () => {
    const receiver = await openReceiver()
    const replies = [{ content: [call('c1', 'confirm')] }, { content: [text('done')] }]
    const webhooks = [toWebhook(receiver)]
    const { handler, store } = open({ webhooks, replies, agent: { tools: [confirm] } })
    await ask(handler)
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    const results = [{ tool_use_id: 'c1', content: 'yes' }]
    await (
      await post(handler, 'tool_results', { agent_uuid: session, tool_results: results })
    ).text()
    await expect.poll(() => receiver.deliveries.length, poll).toBe(2)
    const [waiting, completed] = receiver.deliveries.map(({ event }) => event)
    expect(waiting).toMatchObject({
      type: 'run.waiting',
      data: {
        run: 1,
        stop_reason: 'awaiting_frontend_tools',
        pending: [{ tool_use_id: 'c1', name: 'confirm', agent: session, kind: 'result' }],
        total_pending: 1,
      },
    })
    expect(completed).toMatchObject({ type: 'run.completed', data: { run: 1 } })
    expect(completed?.id).not.toBe(waiting?.id)
  })

  test('is sent to endpoints with its type only, with bounded size', async () => {
    const [all, failures] = [await openReceiver(), await openReceiver()]
    const replies = [{ content: [text('🌾'.repeat(2_001))] }]
    const webhooks = [toWebhook(all), { ...toWebhook(failures), events: ['run.failed'] as const }]
    const { handler, store } = open({ webhooks, replies })
    await ask(handler)
    await expect.poll(() => all.deliveries.length, poll).toBe(1)
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    expect(failures.deliveries).toEqual([])
    const { data } = all.deliveries[0]?.event ?? {}
    expect(data).toMatchObject({ final_response: '🌾'.repeat(1_000), is_truncated: true })
  })

  test('reports a lost run that cannot be recovered', async () => {
    const receiver = await openReceiver()
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const replies: ScriptedReply[] = [{ content: [text('flour')], hangs: 'until_aborted' }]
    const { handler } = open({ store, replies })
    void ask(handler).catch(() => {})
    await expect.poll(() => handler.activity().runs, poll).toBe(1)
    await handler.close()
    const baker = createAgent({ name: 'baker', model: createScriptedModel([]) })
    // A server waits for others that offer the agent for twenty leases.
    const other = { agents: { baker }, defaultAgent: 'baker', limits: { leaseMs: 10 } }
    const next = open({ store, ...other, webhooks: [toWebhook(receiver)] })
    await next.handler.recover()
    await expect.poll(() => receiver.deliveries.length, poll).toBe(1)
    const { event } = receiver.deliveries[0] ?? {}
    expect(event).toMatchObject({ type: 'run.failed', data: { error: { code: 'unsupported' } } })
  })

  test('is delivered even if `onEvent` throws', async () => {
    const receiver = await openReceiver()
    const onEvent = vi.fn(() => {
      throw new Error('the handler of events failed')
    })
    const { handler, errors } = open({ webhooks: [toWebhook(receiver)], onEvent })
    await ask(handler)
    await expect.poll(() => receiver.deliveries.length, poll).toBe(1)
    expect(errors.join()).toContain('the handler of events failed')
  })
})

describe('[HOOK-2] a delivery', () => {
  test('is signed over its id, its time and its body', async () => {
    const receiver = await openReceiver()
    const { handler } = open({ webhooks: [toWebhook(receiver)] })
    await ask(handler)
    await expect.poll(() => receiver.deliveries.length, poll).toBe(1)
    const [delivered] = receiver.deliveries
    if (delivered === undefined) throw new Error('Nothing was delivered.')
    const { headers, body, event } = delivered
    expect(headers['webhook-id']).toBe(event.id)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['webhook-signature']).toBe(signatureOf(delivered, receiver.secret))
    expect(await verifyWebhook({ secret: receiver.secret, headers, body })).toEqual(event)
  })
})

describe('[HOOK-3] a delivery that fails', () => {
  test.each([
    ['an error', withStatus(500)],
    [
      'a redirect, which is not followed',
      (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    ],
    ['silence', () => {}],
    ['a cut connection', (response) => void response.destroy()],
  ] as readonly (readonly [string, WebhookReceiver['answer']])[])(
    'with %s is retried with the same id',
    async (_, failing) => {
      const receiver = await openReceiver((response, count) =>
        count === 1 ? failing(response, count) : withStatus(200)(response, count),
      )
      const limits = { webhookTimeoutMs: 1_000 }
      const { handler, store, errors } = open({ webhooks: [toWebhook(receiver)], limits })
      await ask(handler)
      await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(1)
      await expect.poll(() => pendingOf(store), poll).toBe(0)
      const [first, second] = receiver.deliveries
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(second?.body).toBe(first?.body)
      expect(errors).toHaveLength(1)
      expect(errors[0]).toContain('The next attempt is in')
      expect(errors[0]).not.toContain('/hooks')
    },
  )

  test('is dropped after a day, which is reported', async () => {
    let now = Date.now()
    const receiver = await openReceiver((response, count) => {
      if (count === 2) now += 2 * 86_400_000
      withStatus(503)(response, count)
    })
    const webhooks = [toWebhook(receiver)]
    const { handler, store, errors } = open({ webhooks, now: () => now })
    await ask(handler)
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    expect(errors.at(-1)).toContain('it responded with 503. There is no retry')
    expect(receiver.deliveries).toHaveLength(2)
    expect((await store.unattended(10)).rows).toEqual([])
  })

  test('reads only the status of a response of any size', async () => {
    let sent = 0
    const receiver = await openReceiver((response) => {
      response.writeHead(200)
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    })
    const { handler, store } = open({ webhooks: [toWebhook(receiver)] })
    await ask(handler)
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    await expect.poll(() => receiver.open.now, poll).toBe(0)
    expect(sent).toBeLessThan(32 * 1_048_576)
  })
})

describe('[HOOK-4] deliveries', () => {
  test('delay neither their session nor other endpoints, and are bounded', async () => {
    const [slow, fast] = [await openReceiver(() => {}), await openReceiver()]
    const webhooks = [toWebhook(slow), toWebhook(fast)]
    const { handler, store } = open({ webhooks })
    const uuids = Array.from({ length: 12 }, () => crypto.randomUUID())
    for (const uuid of [session, session, ...uuids]) await ask(handler, uuid)
    await expect.poll(() => fast.deliveries.length, poll).toBe(14)
    await expect.poll(() => slow.open.now, poll).toBe(4)
    expect(slow.open.most).toBe(4)
    expect(await pendingOf(store)).toBe(2)
    const state = await handler.fetch(new Request(`http://localhost/agent/${session}`))
    expect(await state.json()).toMatchObject({ status: 'ended', total_runs: 2 })
    expect(await store.remove(session)).toBe(true)
    slow.answer = withStatus(200)
  })

  test('of one session are at most 32; the oldest are dropped', async () => {
    const receiver = await openReceiver(withStatus(500))
    const limits = { webhookRetryMs: 60_000 }
    const { handler, store, errors } = open({ webhooks: [toWebhook(receiver)], limits })
    for (let run = 0; run < 40; run++) await ask(handler)
    await expect.poll(() => pendingOf(store), poll).toBeLessThanOrEqual(33)
    expect(errors.join()).toContain('too many pending events')
    await expect
      .poll(async () => (await store.pending(session)).map(({ seq }) => seq).at(-1), poll)
      .toBe(40)
  })

  test('continue beside the next run of their session, and are no commands to it', async () => {
    const receiver = await openReceiver(withStatus(500))
    const gate = createGate()
    const replies = [
      { content: [text('one')] },
      { content: [call('t1', 'slow')] },
      { content: [text('two')] },
    ]
    const agent = { tools: [tool('slow', () => gate.passed)] }
    const { handler, store, errors } = open({ webhooks: [toWebhook(receiver)], replies, agent })
    await ask(handler)
    const second = ask(handler)
    await expect.poll(() => handler.activity().runs, poll).toBe(1)
    await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(1)
    receiver.answer = withStatus(200)
    gate.open()
    expect(await second).toContain('end_turn')
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    expect(new Set(receiver.deliveries.map(({ event }) => event.id)).size).toBe(2)
    expect(errors.filter((error) => !error.includes('The next attempt is in'))).toEqual([])
  })

  test('of a removed session are dropped', async () => {
    const receiver = await openReceiver(withStatus(500))
    const { handler, store, errors } = open({ webhooks: [toWebhook(receiver)] })
    await ask(handler)
    await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(0)
    expect(await store.remove(session)).toBe(true)
    await ask(handler)
    const ids = (): ReadonlySet<string> => new Set(receiver.deliveries.map(({ event }) => event.id))
    await expect.poll(() => ids().size, poll).toBe(2)
    receiver.answer = withStatus(200)
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    expect(errors.filter((error) => !error.includes('The next attempt is in'))).toEqual([])
  })
})

/** Opens a store shared by servers, with a function that opens it again as another server. */
const shared: readonly (readonly [string, string, () => Promise<() => Store>])[] = [
  [
    'SQLite',
    '',
    async () => {
      const path = nextPath()
      return () => createSqliteStore({ path, shared: true })
    },
  ],
  [
    'Redis',
    redisMissing,
    async () => {
      const redis = await startRedis()
      closing.push(redis.stop)
      return () => createRedisStore({ url: redis.url })
    },
  ],
]

describe.each(shared)('[HOOK-3] servers that share a store in %s%s', (_, missing, openShared) => {
  const openShare = async (): Promise<() => Store> => {
    const openStore = await openShared()
    return () => {
      const store = openStore()
      closing.push(store.close)
      return store
    }
  }

  test.skipIf(missing !== '')(
    'deliver an event once, and one continues after another has stopped',
    async () => {
      const receiver = await openReceiver(withStatus(500))
      const share = await openShare()
      const alike = { webhooks: [toWebhook(receiver)], limits: { leaseMs: 200 } }
      const servers = [1, 2, 3].map(() => open({ ...alike, store: share() }))
      for (const { handler } of servers) await handler.recover()
      const [first, ...others] = servers
      if (first === undefined) throw new Error('There is no server.')
      await ask(first.handler)
      await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(0)
      await first.handler.close()
      receiver.answer = withStatus(200)
      const store = share()
      await expect.poll(() => pendingOf(store), poll).toBe(0)
      const before = receiver.deliveries.length
      for (const { handler } of others) {
        for (let n = 0; n < 10; n++) await ask(handler, crypto.randomUUID())
      }
      await expect.poll(async () => (await store.unattended(100)).rows, poll).toEqual([])
      expect(new Set(receiver.deliveries.map(({ event }) => event.id)).size).toBe(21)
      expect(receiver.deliveries).toHaveLength(before + 20)
    },
  )

  test.skipIf(missing !== '')('leave deliveries of unknown endpoints to others', async () => {
    const receiver = await openReceiver(withStatus(500))
    const share = await openShare()
    const limits = { webhookRetryMs: 200 }
    const first = open({ store: share(), webhooks: [toWebhook(receiver)], limits })
    const without = open({ store: share(), limits })
    await ask(first.handler)
    await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(0)
    await without.handler.recover()
    await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(1)
    receiver.answer = withStatus(200)
    const store = share()
    await expect.poll(() => pendingOf(store), poll).toBe(0)
    expect(without.errors).toEqual([])
  })
})

describe('webhooks that could never be delivered are rejected at start:', () => {
  const secret = `whsec_${'A'.repeat(32)}`
  test.each([
    ['another scheme', { url: 'ftp://example.com', secret }, 'webhooks[0].url must be an http'],
    ['no URL', { url: 'example.com/hook', secret }, 'webhooks[0].url must be an http'],
    ['a password', { url: 'https://a:b@example.com', secret }, 'must not contain a user'],
    ['a short secret', { url: 'https://example.com', secret: 'whsec_AAAA' }, '24 to 64'],
    ['a plain secret', { url: 'https://example.com', secret: 'hunter2hunter2' }, 'whsec_'],
    ['no secret', { url: 'https://example.com' }, 'webhooks[0].secret is missing'],
    ['an unknown field', { url: 'https://example.com', secret, event: [] }, 'webhooks[0].event is'],
    ['an unknown event', { url: 'https://example.com', secret, events: ['run'] }, 'some of run.'],
    ['no events', { url: 'https://example.com', secret, events: [] }, 'some of run.'],
  ])('%s', (_, webhook, problem) => {
    const webhooks = [webhook] as unknown as NonNullable<HandlerOptions['webhooks']>
    expect(() => open({ webhooks })).toThrow(problem)
  })

  test('one URL twice', () => {
    const webhooks = [1, 2].map(() => ({ url: 'http://127.0.0.1:1/', secret }))
    expect(() => open({ webhooks })).toThrow('has one URL twice')
  })
})
