import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { createSqliteStore } from '../../stores/sqlite/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'

const nextPath = temporaryPaths()
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

const session = '00000000-0000-4000-8000-000000000000'
const url = `http://localhost/agent/${session}`
const poll = { timeout: 20_000 }

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory that others share', () => ({ ...createMemoryStore(), isDurable: true })],
  ['SQLite', () => createSqliteStore({ path: nextPath() })],
]

function open(store: Store, replies: readonly ScriptedReply[], more: Partial<HandlerOptions> = {}) {
  const model = createScriptedModel(replies)
  const agents = { miller: createAgent({ name: 'miller', model }) }
  return createHandler({ agents, defaultAgent: 'miller', store, ...more })
}

const ask = (handler: Handler, prompt: string): Promise<Response> =>
  handler.fetch(
    new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt: prompt }),
    }),
  )

const read = async (handler: Handler, path = ''): Promise<string> =>
  (await handler.fetch(new Request(`${url}${path}`))).text()

const hanging: ScriptedReply = { content: [text('flour')], hangs: 'until_aborted' }

/** A store with the run of a dead server, and a handler without a call of `recover()`. */
async function openAfterCrash(
  createStore: () => Store,
  more: Partial<HandlerOptions> & { readonly leaseMs?: number } = {},
) {
  const { leaseMs = 300, ...options } = more
  const store = createStore()
  const held = createLosable(store)
  const dying = open(held, [hanging], { limits: { leaseMs }, recovers: false })
  await (await ask(dying, 'go')).body?.cancel()
  held.lose()
  const recovered: string[] = []
  const handler = open(store, [{ content: [text('bread')] }, { content: [text('rolls')] }], {
    limits: { leaseMs },
    onRecovered: (one) => recovered.push(one),
    ...options,
  })
  opened.push(store, handler)
  return { store, handler, recovered }
}

async function lapse(store: Store): Promise<void> {
  await expect.poll(async () => (await store.info(session))?.lease?.hasLapsed, poll).toBe(true)
}

describe.each(stores)('[LOG-14] a handler without a call of recover, on %s', (_, createStore) => {
  test('gives a reader from before the lease lapsed the end of the run', async () => {
    const { handler } = await openAfterCrash(createStore)
    const stream = await read(handler, '/stream')
    expect(stream).toContain('"stop_reason":"end_turn"'.replaceAll('"', '\\"'))
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('does so too without background recovery', async () => {
    const { handler, recovered } = await openAfterCrash(createStore, { recovers: 'on_request' })
    const stream = await read(handler, '/stream')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(recovered).toEqual([session])
  })

  test('accepts another prompt once the lost run has ended', async () => {
    const { handler } = await openAfterCrash(createStore)
    await expect
      .poll(async () => {
        const response = await ask(handler, 'again')
        await response.text()
        return response.status
      }, poll)
      .toBe(200)
    const history = JSON.parse(await read(handler, '/conversations')) as object
    expect(history).toMatchObject({
      conversations: [{ final_response: 'rolls' }, { final_response: 'bread' }],
    })
  })

  test('recovers the run for a list, and for the state of the session', async () => {
    for (const path of ['/../sessions', '']) {
      const more = { recovers: 'on_request' } as const
      const { handler, store, recovered } = await openAfterCrash(createStore, more)
      await lapse(store)
      expect(await read(handler, path)).toMatch(/"status":"(running|ended)"/)
      await expect.poll(() => recovered, poll).toEqual([session])
      await expect.poll(() => read(handler), poll).toContain('"status":"ended"')
    }
  })

  test('looks for lost runs from its first request on, of any kind', async () => {
    const { handler, recovered } = await openAfterCrash(createStore)
    const health = await handler.fetch(new Request('http://localhost/health'))
    expect(health.status).toBe(200)
    await expect.poll(() => recovered, poll).toEqual([session])
  })
})

describe('[LOG-14] readers of a handler with recovery disabled', () => {
  const [[, createStore]] = stores as [(typeof stores)[number]]

  test('do not recover a lost run, and are not delayed by it', async () => {
    const { handler, store, recovered } = await openAfterCrash(createStore, { recovers: false })
    const { epoch = 0 } = (await store.info(session)) ?? {}
    await store.renew(session, epoch, { owner: 'gone', ms: 60_000 })
    // The reader connects while the lease is held, and is cut when the lease has expired.
    const range = await handler.fetch(new Request(`${url}/stream`))
    await store.renew(session, epoch, { owner: 'gone', ms: 0 })
    expect(await range.text()).not.toContain('[DONE]')
    expect(await read(handler)).toContain('"status":"interrupted"')
    expect(await read(handler, '/../sessions')).toContain('"status":"interrupted"')
    expect(await read(handler, '/stream')).not.toContain('meta_end')
    expect(recovered).toEqual([])
  })

  test('see it recovered after `recover()`', async () => {
    const { handler, store } = await openAfterCrash(createStore, { recovers: false })
    await lapse(store)
    expect(await handler.recover()).toEqual([session])
    await expect.poll(() => read(handler), poll).toContain('"status":"ended"')
  })
})

test('a handler that is never closed does not keep its process alive', () => {
  const script = fileURLToPath(
    new URL('../../../test/support/servers/unclosed-handler.ts', import.meta.url),
  )
  const loader = ['--import', import.meta.resolve('tsx')]
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loader, script], {
    timeout: 60_000,
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'ended\n', stderr: '' })
}, 90_000)
