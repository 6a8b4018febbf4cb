import { afterEach, describe, expect, test } from 'vitest'
import { createGatedStore } from '../../test/support/stores/gated-store.ts'
import type { Agent } from '../agent/port/agent.ts'
import { createMemoryStore } from '../stores/memory/index.ts'
import { createHandler, type Handler } from './handler.ts'
import type { HandlerOptions } from './handler-options.ts'
import { sourceOf } from './reading/chunk-source.ts'

const usage = { input_tokens: 0, output_tokens: 0 }

/** Emits a word, then waits until it is stopped. */
const patient: Agent = {
  name: 'patient',
  async *run({ agent }, { signal } = {}) {
    yield { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] }
    await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    yield {
      type: 'run_end',
      agent,
      stopReason: 'aborted',
      steps: 0,
      usage,
      messages: [],
      files: [],
    }
  },
}

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(options: Partial<HandlerOptions> = {}): Handler {
  const agents = { patient }
  const store = createMemoryStore()
  const handler = createHandler({ agents, defaultAgent: 'patient', store, ...options })
  handlers.push(handler)
  return handler
}

const session = '00000000-0000-4000-8000-000000000000'

const ask = (handler: Handler): Promise<Response> =>
  handler.fetch(
    new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt: 'go' }),
    }),
  )

const watch = (handler: Handler, method = 'GET'): Promise<Response> =>
  handler.fetch(new Request(`http://localhost/agent/${session}/stream`, { method }))

describe('a handler without a socket', () => {
  test('streams as a body, and platforms can take the chunks themselves', async () => {
    const handler = open()
    const response = await ask(handler)
    expect(sourceOf(response)).toBeDefined()
    const reader = response.body!.getReader()
    expect(sourceOf(response)).toBeUndefined()
    const first = await reader.read()
    expect(new TextDecoder().decode(first.value)).toBe('retry: 1000\n\n')
    await handler.close()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
    }
    expect(text).toContain('"type":"meta_end"')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('counts open streams, not closed ones or responses to HEAD', async () => {
    const handler = open({ limits: { maxReaders: 2 } })
    await (await ask(handler)).body?.cancel()
    for (let n = 0; n < 5; n++) expect((await watch(handler, 'HEAD')).status).toBe(200)
    for (let n = 0; n < 5; n++) {
      const { body } = await watch(handler)
      const reader = body!.getReader()
      await reader.read()
      await reader.cancel()
    }
    const [one, two] = await Promise.all([watch(handler), watch(handler)])
    const readers = [one.body!.getReader(), two.body!.getReader()]
    await Promise.all(readers.map((reader) => reader.read()))
    expect((await watch(handler)).status).toBe(503)
    await Promise.all(readers.map((reader) => reader.cancel()))
    expect((await watch(handler)).status).toBe(200)
  })

  test('gives the last stream of the quota to one of several concurrent requests', async () => {
    const store = createGatedStore(createMemoryStore())
    const handler = open({ store, limits: { maxReaders: 1 } })
    await (await ask(handler)).body?.cancel()
    const held = store.hold('info', 'after')
    const first = watch(handler)
    await held.reached
    expect((await watch(handler)).status).toBe(503)
    held.release()
    const { body } = await first
    // Not read yet.
    expect((await watch(handler)).status).toBe(503)
    await body?.cancel()
    const failing = store.hold('info', 'after')
    const failed = watch(handler)
    failing.fail(new Error('The disk is full.'))
    expect((await failed).status).toBe(503)
    expect((await watch(handler)).status).toBe(200)
  })

  test('does not start a run whose stream exceeds the quota', async () => {
    const handler = open({ limits: { maxReaders: 0 } })
    expect((await ask(handler)).status).toBe(503)
    const state = await handler.fetch(new Request(`http://localhost/agent/${session}`))
    expect(state.status).toBe(404)
  })

  test('disconnects a reader that reads nothing', async () => {
    const handler = open({ limits: { stallTimeoutMs: 10 } })
    const reader = (await ask(handler)).body!.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await expect(reader.read()).rejects.toThrow(/read nothing/)
  })

  test('a run is active and its stream open before its start is stored', async () => {
    const store = createGatedStore(createMemoryStore())
    const handler = open({ store })
    const held = store.hold('append', 'after')
    const asked = ask(handler)
    await held.reached
    const state = await handler.fetch(new Request(`http://localhost/agent/${session}`))
    expect(await state.json()).toMatchObject({ status: 'running' })
    const reader = (await watch(handler)).body!.getReader()
    await reader.read()
    const next = reader.read()
    held.release()
    await asked
    expect(new TextDecoder().decode((await next).value)).toContain('meta_init')
    await reader.cancel()
  })
})

describe('rejects options with which every request would fail', () => {
  test.each<[string, Partial<HandlerOptions>, RegExp]>([
    [
      'an unknown default',
      { defaultAgent: 'other' },
      /"other", which is not among the agents: pat/,
    ],
    ['an inherited default', { defaultAgent: 'toString' }, /not among/],
    ['a limit that is not one', { limits: { maxReaders: Number.NaN } }, /maxReaders is NaN/],
    ['lines that are too short', { limits: { maxLineBytes: 511 } }, /at least 512/],
    ['lines of a fractional length', { limits: { maxLineBytes: 2048.5 } }, /whole number/],
  ])('%s', (_, options, words) => {
    expect(() => open(options)).toThrow(words)
  })
})

test('a client that disconnects during its request is not a server error', async () => {
  const errors: unknown[] = []
  const handler = open({ onError: (error) => errors.push(error) })
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"user_')),
    pull: (controller) => controller.error(new Error('aborted')),
  })
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body, duplex: 'half' }
  const response = await handler.fetch(new Request('http://localhost/agent/run', init))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'connection_lost' } })
  expect(errors).toEqual([])
})

test.each(['info', 'open', 'append'] as const)(
  'a session that cannot be loaded is not recreated: %s fails',
  async (method) => {
    const errors: unknown[] = []
    const store = createGatedStore(createMemoryStore())
    await store.open(session)
    const head = '{"version":2,"agentType":"patient"}'
    await store.append({ session, epoch: 1, tail: 0, lines: [], head })
    const handler = open({ store, onError: (error) => errors.push(error) })
    store.hold(method, 'before').fail(new Error('The disk is full.'))
    const response = await ask(handler)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({ error: { code: 'store_unavailable' } })
    expect(errors).toMatchObject([{ cause: { message: 'The disk is full.' } }])
    expect(await store.info(session)).toMatchObject({ tail: 0, head })
  },
)
