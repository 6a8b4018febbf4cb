import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandServer,
  type CommandServerOptions,
  openCommandServer,
  runsIn,
  session,
} from '../../../test/support/servers/command-server.ts'
import { readStream } from '../../../test/support/frames/read-stream.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'

const servers: CommandServer[] = []
const polling = { timeout: 20_000 }

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

function createSharedStore(): Store {
  return { ...createMemoryStore(), isDurable: true }
}

function open(store: Store, options?: CommandServerOptions): CommandServer {
  const server = openCommandServer(store, options)
  servers.push(server)
  return server
}

describe('[CMD-5] queued prompts of a deleted session', () => {
  test.each(['the server of the run', 'another server'])('never begin, at %s', async (where) => {
    const store = createSharedStore()
    const events: string[] = []
    const onEvent = ({ type }: { readonly type: string }): unknown => events.push(type)
    const owner = open(store, { onEvent })
    const asked = where === 'another server' ? open(store, { onEvent }) : owner
    await owner.ask('hold', { message_id: 'm0' })
    for (const id of ['hold1', 'hold2', 'hold3']) expect(await owner.queue(id)).toBe(202)
    // One of them is sent to the run, and would start the next run if that ends without it.
    expect(await owner.queue('hold4', { when_busy: 'steer' })).toBe(202)
    const fields = { message_id: 'hold5', when_busy: 'queue' }
    const responses = [await owner.ask('hold5', fields), await asked.ask('hold5', fields)]
    const streams = responses.map((response) => readStream(response))
    const request = new Request(`http://localhost/agent/${session}`, { method: 'DELETE' })
    expect((await asked.handler.fetch(request)).status).toBe(200)
    await expect.poll(() => events.length, polling).toBeGreaterThan(0)
    expect(events).toEqual(['run.failed'])
    for (const stream of streams) expect(await stream).toMatchObject({ frames: [], isDone: true })
    expect([owner.errors, asked.errors]).toEqual([[], []])
    expect(await store.info(session)).toBeUndefined()
  })
})

test.each(['the server of the run', 'another server'])(
  '[CMD-4] messages and prompts that wait leave room for a stop, at %s',
  async (where) => {
    const store = createSharedStore()
    const owner = open(store)
    const asked = where === 'another server' ? open(store) : owner
    const first = await owner.ask('hold')
    for (let n = 0; n < 40; n++) expect(await asked.queue(`q${n}`)).toBe(202)
    const steer = async (n: number): Promise<number> => {
      const message = { user_prompt: `say ${n}`, message_id: `s${n}` }
      return (await asked.post(`${session}/steer`, message)).status
    }
    for (let n = 0; n < 60; n++) expect(await steer(n)).toBe(200)
    for (let n = 60; n < 300; n++) expect(await steer(n)).toBe(429)
    expect(await steer(59)).toBe(200)
    expect(await asked.queue('q40')).toBe(429)
    const stop = await asked.post(`${session}/stop`, { message_id: 'stop' })
    expect([stop.status, await stop.json()]).toEqual([200, { stopped: true }])
    expect(await first.text()).toContain('aborted')
  },
)

test('[CMD-4] the stream of a queued prompt ends when its server closes', async () => {
  const store = createSharedStore()
  const owner = open(store)
  const closing = openCommandServer(store)
  const first = await owner.ask('hold', { message_id: 'm0' })
  const response = await closing.ask('later', { message_id: 'm1', when_busy: 'queue' })
  const stream = readStream(response)
  await closing.handler.close()
  expect(await stream).toMatchObject({ frames: [], isDone: false })
  expect(closing.handler.activity()).toMatchObject({ readers: 0 })
  expect(closing.errors).toEqual([])
  owner.gate.open()
  await first.text()
  await expect.poll(async () => runsIn(await owner.log()), polling).toEqual(['m0', 'm1'])
})

describe('the quota of a session', () => {
  const queueFile = (server: CommandServer, id: string, size: number): Promise<Response> => {
    const form = new FormData()
    const fields = { agent_uuid: session, message_id: id, when_busy: 'queue', user_prompt: 'look' }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.append('files', new File(['x'.repeat(size)], 'a.txt', { type: 'text/plain' }))
    const init = { method: 'POST', body: form, headers: { prefer: 'respond-async' } }
    return server.handler.fetch(new Request('http://localhost/agent/run/multipart', init))
  }
  const bytesIn = async (store: Store): Promise<number> =>
    (JSON.parse((await store.info(session))?.head ?? '{}') as { bytes?: number }).bytes ?? 0

  test.each(['the server of the run', 'another server'])(
    'counts the files of queued prompts, and rejects those beyond it at once, at %s',
    async (where) => {
      const store = createSharedStore()
      const limits = { maxSessionBytes: 600_000 }
      const owner = open(store, { limits })
      const asked = where === 'another server' ? open(store, { limits }) : owner
      const first = await owner.ask('hold')
      expect((await queueFile(asked, 'm1', 400_000)).status).toBe(202)
      await expect.poll(() => bytesIn(store), polling).toBeGreaterThan(400_000)
      const refused = await queueFile(asked, 'm2', 400_000)
      expect([refused.status, await store.fileIds(session)]).toEqual([413, [expect.anything()]])
      owner.gate.open()
      await first.text()
      const ended = { status: 'ended', total_runs: 2, queue: [] }
      await expect.poll(() => owner.view(), polling).toMatchObject(ended)
      expect(await bytesIn(store)).toBeLessThan(600_000)
    },
  )

  test('rejects a prompt for the queue if the session has reached it', async () => {
    const store = createSharedStore()
    const limits = { maxSessionBytes: 100_000 }
    const server = open(store, { limits })
    await server.ask('hold')
    const body = JSON.stringify({ run: 1, command: { type: 'count', bytes: 200_000 } })
    await store.submit(session, { key: 'count', body })
    await store.send(session, 'wake')
    await expect.poll(() => bytesIn(store), polling).toBeGreaterThan(200_000)
    expect(await server.queue('m1')).toBe(413)
    expect((await server.view()).queue).toEqual([])
    server.gate.open()
  })
})

describe('[CMD-4] a repeated prompt is answered with its state', () => {
  const stateOf = async (server: CommandServer, prompt: string): Promise<unknown> => {
    const fields = { message_id: prompt, when_busy: 'queue' }
    const response = await server.ask(prompt, fields, { prefer: 'respond-async' })
    expect(response.status).toBe(202)
    return ((await response.json()) as { state: unknown }).state
  }

  test('its run, or its withdrawal', async () => {
    const server = open(createSharedStore())
    expect(await stateOf(server, 'one')).toBe('running')
    await expect.poll(async () => (await server.view()).status, polling).toBe('ended')
    expect(await stateOf(server, 'one')).toBe('ended')
    expect(await stateOf(server, 'hold')).toBe('running')
    expect(await stateOf(server, 'hold')).toBe('running')
    expect(await stateOf(server, 'w')).toBe('queued')
    expect(await stateOf(server, 'w')).toBe('queued')
    await server.withdraw('w')
    expect(await stateOf(server, 'w')).toBe('withdrawn')
    expect(await stateOf(server, 'one')).toBe('ended')
    server.gate.open()
    await expect.poll(async () => (await server.view()).status, polling).toBe('ended')
    await (await server.ask('ask', { message_id: 'ask', when_busy: 'queue' })).text()
    expect(await stateOf(server, 'ask')).toBe('paused')
  })
})

test('[CMD-4] a prompt that cannot begin because another command arrived releases the lease', async () => {
  const store = createSharedStore()
  const fenced: unknown[] = []
  let isLate = true
  const append: Store['append'] = async (given) => {
    if (given.inbox !== undefined && isLate) {
      isLate = false
      const body = JSON.stringify({ run: 1, command: { type: 'receipt', state: 'done' } })
      await store.submit(session, { key: 'late', body })
      fenced.push('refused')
    } else if (fenced.length === 1) fenced.push(given.lease)
    return store.append(given)
  }
  const server = open({ ...store, append })
  const first = await server.ask('hold', { message_id: 'm0' })
  expect(await server.queue('m1')).toBe(202)
  server.gate.open()
  await first.text()
  await expect.poll(async () => runsIn(await server.log()), polling).toEqual(['m0', 'm1'])
  expect(fenced).toEqual(['refused', 'release'])
})
