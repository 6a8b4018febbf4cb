import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandServer,
  type CommandServerOptions,
  endsIn,
  keyOf,
  openCommandServer,
  queueIn,
  runsIn,
  session,
} from '../../../test/support/servers/command-server.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import { readStream, toMessages, typesOf } from '../../../test/support/frames/read-stream.ts'
import { createSession } from '../../client/transport/http/http-session.ts'
import type { FetchFunction } from '../../client/session.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'
import { toClientKey } from '../requests/message-key.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createTranscript } from '../../client/transcript/index.ts'

const servers: CommandServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

/** A store of many servers whose wake-ups are all lost. */
function createSharedStore(): Store {
  return { ...createMemoryStore(), isDurable: true, send: async () => {} }
}

function open(store: Store = createSharedStore(), options?: CommandServerOptions): CommandServer {
  const server = openCommandServer(store, options)
  servers.push(server)
  return server
}

/** Waits until the session has neither a run nor waiting prompts. */
async function untilIdle(server: CommandServer): Promise<void> {
  const idle = { status: 'ended', queue: [] }
  await expect.poll(() => server.view(), { timeout: 20_000 }).toMatchObject(idle)
}

async function untilEmitted(server: CommandServer, states: readonly string[]): Promise<void> {
  const received = async () => {
    const path = `http://localhost/agent/${session}/stream?cursor=0&follow=1`
    const response = await server.handler.fetch(new Request(path))
    return queueIn(await readStream(response, (read) => queueIn(read).length >= states.length))
  }
  expect(await received()).toEqual(states)
}

describe('[CMD-4] a queued prompt', () => {
  test('begins when the run ends, in order, once, and is in the queue until then', async () => {
    const server = open()
    const first = await server.ask('hold', { message_id: 'm0' })
    for (const id of ['m1', 'm2', 'm3']) expect(await server.queue(id)).toBe(202)
    // A repeated request is the same prompt.
    expect(await server.queue('m2')).toBe(202)
    expect((await server.view()).queue).toMatchObject([
      { message_id: 'm1', text: 'm1', when_busy: 'queue' },
      { message_id: 'm2' },
      { message_id: 'm3' },
    ])
    await untilEmitted(server, ['queued m1', 'queued m2', 'queued m3'])
    server.gate.open()
    await first.text()
    await untilIdle(server)
    const log = await server.log()
    expect(runsIn(log)).toEqual(['m0', 'm1', 'm2', 'm3'])
    expect(queueIn(log)).toEqual(['queued m1', 'queued m2', 'queued m3'])
    expect(log.frames.map(({ id }) => id)).toEqual(log.frames.map((_, index) => index + 1))
    expect(server.errors).toEqual([])
  })

  test('is answered with the stream of its own run, which has only heartbeats until it begins', async () => {
    const server = open()
    const first = await server.ask('hold')
    const fields = { message_id: 'm1', when_busy: 'queue' }
    const response = await server.ask('later', fields)
    expect(response.status).toBe(200)
    const stream = readStream(response)
    const again = readStream(await server.ask('later', fields))
    server.gate.open()
    await first.text()
    const own = await stream
    expect(own.isDone).toBe(true)
    expect(own.comments.length).toBeGreaterThan(0)
    expect(typesOf(own)).toEqual(['meta_init', 'text', 'meta_step', 'meta_end'])
    expect(keyOf(own)).toBe('m1')
    expect((await again).frames).toEqual(own.frames)
    expect((await readStream(await server.ask('later', fields))).frames).toEqual(own.frames)
  })

  test('gets a key if the request has none', async () => {
    const server = open()
    const first = await server.ask('hold')
    const response = await server.ask('later', { when_busy: 'queue' }, { prefer: 'respond-async' })
    const { message_id: id, state } = (await response.json()) as Record<string, string>
    expect(state).toBe('queued')
    server.gate.open()
    await first.text()
    await untilIdle(server)
    expect(runsIn(await server.log())).toEqual([undefined, id])
  })

  test('begins only after a paused run was answered and has ended; a prompt that is not queued begins at once', async () => {
    const server = open()
    await (await server.ask('ask', { message_id: 'm0' })).text()
    expect(await server.queue('m1')).toBe(202)
    await untilEmitted(server, ['queued m1'])
    expect(await server.view()).toMatchObject({ status: 'paused', queue: [{ message_id: 'm1' }] })
    const results = [{ tool_use_id: 'c1', content: 'yes' }]
    await (await server.post('tool_results', { agent_uuid: session, tool_results: results })).text()
    await untilIdle(server)
    expect(runsIn(await server.log())).toEqual(['m0', 'm1'])
    await (await server.ask('ask again', { message_id: 'm2' })).text()
    expect(await server.queue('m3')).toBe(202)
    await (await server.ask('now', { message_id: 'm4' })).text()
    await untilIdle(server)
    expect(runsIn(await server.log())).toEqual(['m0', 'm1', 'm2', 'm4', 'm3'])
  })

  test('begins at once if no run is active', async () => {
    const server = open()
    const stream = await readStream(await server.ask('go', { message_id: 'm', when_busy: 'queue' }))
    expect(keyOf(stream)).toBe('m')
    expect(queueIn(stream)).toEqual([])
    const response = await server.ask(
      'go',
      { message_id: 'n' },
      { prefer: 'wait=1, respond-async' },
    )
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ message_id: 'n', state: 'running' })
  })

  test('is rejected if the queue is full', async () => {
    const server = open()
    await server.ask('hold')
    for (let n = 0; n < 100; n++) expect(await server.queue(`m${n}`)).toBe(202)
    expect(await server.queue('last')).toBe(429)
    server.gate.open()
    await untilIdle(server)
    expect(await server.view()).toMatchObject({ total_runs: 101 })
  })

  test('that cannot begin ends as void, and the next one begins', async () => {
    const store = createSharedStore()
    const server = open(store)
    const first = await server.ask('hold')
    const command = { type: 'prompt', messageId: 'm1', prompt: 'x', whenBusy: 'queue', at: 0 }
    const gone = { ...command, agentType: 'gone', history: false, toolInput: 'buffered' }
    const body = JSON.stringify({ run: 1, digest: '', command: gone })
    await store.submit(session, { key: 'client:m1', body })
    expect(await server.queue('m2')).toBe(202)
    server.gate.open()
    await first.text()
    await untilIdle(server)
    await expect.poll(async () => queueIn(await server.log())).toContain('void m1')
    expect(runsIn(await server.log())).toEqual([undefined, 'm2'])
    const again = await server.ask('x', { message_id: 'm1' })
    expect(again.status).toBe(409)
  })
})

describe('[CMD-5] a withdrawn prompt', () => {
  test('does not begin, is reported, and ends the streams that wait for it', async () => {
    const server = open()
    const first = await server.ask('hold')
    const waiting = readStream(await server.ask('m1', { message_id: 'm1', when_busy: 'queue' }))
    expect(await server.queue('m2')).toBe(202)
    await untilEmitted(server, ['queued m1', 'queued m2'])
    for (let n = 0; n < 2; n++) {
      const response = await server.withdraw('m1')
      expect([response.status, await response.json()]).toEqual([200, { withdrawn: true }])
    }
    expect(await waiting).toMatchObject({ frames: [], isDone: true })
    expect((await server.view()).queue).toMatchObject([{ message_id: 'm2' }])
    server.gate.open()
    await first.text()
    await untilIdle(server)
    expect(runsIn(await server.log())).toEqual([undefined, 'm2'])
    expect(queueIn(await server.log())).toEqual(['queued m1', 'queued m2', 'withdrawn m1'])
    const late = await server.withdraw('m2')
    expect(late.status).toBe(409)
    expect(await late.json()).toMatchObject({ error: { reason: 'begun' } })
    expect((await server.withdraw('nobody')).status).toBe(404)
    expect(await readStream(await server.ask('m1', { message_id: 'm1' }))).toMatchObject({
      frames: [],
      isDone: true,
    })
  })

  test('is reported during a pause as well', async () => {
    const server = open()
    await (await server.ask('ask')).text()
    expect(await server.queue('m1')).toBe(202)
    await untilEmitted(server, ['queued m1'])
    expect((await server.withdraw('m1')).status).toBe(200)
    await untilEmitted(server, ['queued m1', 'withdrawn m1'])
    expect(await server.view()).toMatchObject({ status: 'paused', queue: [], total_runs: 1 })
  })
})

describe('[CMD-4] a prompt that interrupts', () => {
  test('stops the run, and begins before queued prompts', async () => {
    const server = open()
    const first = await server.ask('hold', { message_id: 'm0' })
    expect(await server.queue('m1')).toBe(202)
    const stream = await readStream(
      await server.ask('now', { message_id: 'm2', when_busy: 'interrupt' }),
    )
    expect(keyOf(stream)).toBe('m2')
    expect(await first.text()).toContain('aborted')
    await untilIdle(server)
    const log = await server.log()
    expect(runsIn(log)).toEqual(['m0', 'm2', 'm1'])
    expect(endsIn(log)).toEqual(['aborted', 'end_turn', 'end_turn'])
  })
})

describe('[CMD-4] a prompt that steers', () => {
  test('is delivered to the active run, and is answered with the frames that follow', async () => {
    const server = open()
    const first = readStream(await server.ask('hold', { message_id: 'm0' }))
    const fields = { message_id: 'm1', when_busy: 'steer' }
    const received = readStream(await server.ask('hurry', fields))
    expect((await server.view()).queue).toEqual([])
    expect((await server.withdraw('m1')).status).toBe(409)
    server.gate.open()
    const all = await first
    const own = await received
    expect(toMessages(own)[0]).toMatchObject({ type: 'user_message', message_id: 'm1' })
    expect(all.frames.slice(-own.frames.length)).toEqual(own.frames)
    expect((await readStream(await server.ask('hurry', fields))).frames).toEqual(own.frames)
    expect(await server.view()).toMatchObject({ total_runs: 1 })
  })

  test('begins the next run if the run ended before its delivery', async () => {
    const store = createSharedStore()
    const server = open(store)
    await (await server.ask('go', { message_id: 'm0' })).text()
    const asked = { prompt: 'hurry', history: false, toolInput: 'buffered', at: 0 }
    const command = { type: 'prompt', messageId: 'm1', whenBusy: 'steer', ...asked }
    const body = JSON.stringify({ run: 1, digest: '', command })
    await store.submit(session, { key: 'client:m1', body })
    await server.handler.recover()
    await expect.poll(async () => runsIn(await server.log())).toEqual(['m0', 'm1'])
  })
})

describe('[CMD-4] an acknowledged prompt', () => {
  test('of a server that does not have the run begins at either server, once', async () => {
    const store = createSharedStore()
    const owner = open(store, { limits: { leaseMs: 300 } })
    const other = open(store)
    const first = await owner.ask('hold', { message_id: 'm0' })
    const stream = readStream(await other.ask('m1', { message_id: 'm1', when_busy: 'queue' }))
    expect(await other.queue('m2')).toBe(202)
    // A lost wake-up costs no more than the time to the next renewal of the lease.
    await untilEmitted(other, ['queued m1', 'queued m2'])
    owner.gate.open()
    await first.text()
    expect(keyOf(await stream)).toBe('m1')
    await untilIdle(other)
    expect(runsIn(await other.log())).toEqual(['m0', 'm1', 'm2'])
  })

  test('begins though another server read the inbox before it had begun, and its server is killed then', async () => {
    const store = createSharedStore()
    const key = toClientKey('m1')
    // The start of its run is stored, and nothing after it.
    const held = createLosable({
      ...store,
      append: async (given) => {
        const stored = await store.append(given)
        if (given.commands?.some((command) => command.key === key) === true) held.lose()
        return stored
      },
    })
    const limits = { leaseMs: 300 }
    const dying = openCommandServer(held, { limits })
    await (await dying.ask('m0', { message_id: 'm0' })).text()
    for (const id of ['m1', 'm2']) {
      const command = { type: 'prompt', messageId: id, prompt: id, whenBusy: 'queue', at: 0 }
      await store.submit(session, {
        key: toClientKey(id),
        body: JSON.stringify({ run: 1, command }),
      })
    }
    let isRead = false
    const next = open(
      {
        ...store,
        pending: async (...given) => {
          const read = await store.pending(...given)
          if (!isRead) {
            isRead = true
            void dying.handler.recover()
            await expect
              .poll(async () => (await store.command(session, key))?.isPending)
              .toBe(false)
          }
          return read
        },
      },
      { limits },
    )
    await next.handler.recover()
    await untilIdle(next)
    expect(runsIn(await next.log())).toEqual(['m0', 'm1', 'm2'])
  })

  test('begins once though the server is killed at any moment in between', async () => {
    for (const when of ['in the run', 'between the runs'] as const) {
      const store = createSharedStore()
      const held = createLosable(store)
      const dying = openCommandServer(held)
      void (await dying.ask('hold', { message_id: 'm0' }))
      expect(await dying.queue('m1')).toBe(202)
      if (when === 'between the runs') {
        // The end of the first run is stored, and nothing after it.
        const { append } = store
        const losing: Store['append'] = async (given) => {
          const stored = await append(given)
          if (given.lease === 'release') held.lose()
          return stored
        }
        Object.assign(store, { append: losing })
        dying.gate.open()
        await expect
          .poll(async () => (await store.info(session))?.lease, { timeout: 20_000 })
          .toBeUndefined()
        Object.assign(store, { append })
      } else {
        held.lose()
        const { epoch = 0 } = (await store.info(session)) ?? {}
        await store.renew(session, epoch, { owner: 'dead', ms: 0 })
      }
      const next = open(store)
      next.gate.open()
      await next.handler.recover()
      await untilIdle(next)
      expect(runsIn(await next.log())).toEqual(['m0', 'm1'])
      expect(next.errors).toEqual([])
    }
  })
})

test('[CMD-4] prompts queued behind pauses in many sessions do not prevent others from being found', async () => {
  const store = createSharedStore()
  const server = open(store)
  const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  for (let n = 1; n <= 101; n++) {
    const agent_uuid = idOf(n)
    await (await server.ask('ask', { agent_uuid })).text()
    expect(await server.queue('later', { agent_uuid })).toBe(202)
  }
  const body = JSON.stringify({ run: 1, command: { type: 'stop' } })
  await (await server.ask('go', { agent_uuid: idOf(200) })).text()
  await store.submit(idOf(200), { key: 'late', body })
  // The store lists sessions by name, so the relevant one is the last.
  const next = open(store)
  await next.handler.recover()
  await expect
    .poll(async () => (await store.command(idOf(200), 'late'))?.body, { timeout: 20_000 })
    .toBe('done')
})

test('[CMD-5] a branch that replaces the run of a queued prompt has an empty queue', async () => {
  const server = open()
  const first = await server.ask('hold', { message_id: 'm0' })
  expect(await server.queue('m1')).toBe(202)
  await untilEmitted(server, ['queued m1'])
  server.gate.open()
  await first.text()
  await untilIdle(server)
  const branch = '11111111-1111-4111-8111-111111111111'
  const body = { agent_uuid: session, regenerate: true, branch_uuid: branch }
  await (await server.post('run', body)).text()
  const path = `http://localhost/agent/${branch}/stream?cursor=0&compact=0`
  const log = await readStream(await server.handler.fetch(new Request(path)))
  expect(queueIn(log)).toEqual(['queued m1'])
  const reduce = createFrameReducer()
  const transcript = toMessages(log).reduce(
    (sum, message, index) => reduce(sum, message, index + 1),
    createTranscript(),
  )
  expect(transcript.queue).toEqual([])
})

test('[CMD-5] a page that reads a branch without its own run shows an empty queue', async () => {
  const server = open()
  const first = readStream(await server.ask('hold', { message_id: 'm0' }))
  expect(await server.queue('m1')).toBe(202)
  await untilEmitted(server, ['queued m1'])
  server.gate.open()
  const { frames } = await first
  await untilIdle(server)
  const branch = '11111111-1111-4111-8111-111111111111'
  const fork = { after: frames.at(-1)?.id, branch_uuid: branch }
  expect((await server.post(`${session}/fork`, fork)).status).toBe(200)
  const fetch: FetchFunction = (url, init) => server.handler.fetch(new Request(url, init))
  const queued: unknown[] = []
  const page = createSession({
    url: 'http://localhost',
    session: branch,
    fetch,
    onFrame: ({ data }) => data.includes('"queued_prompt"') && queued.push(data),
  })
  page.subscribe(() => expect(page.getSnapshot().transcript.queue).toEqual([]))
  await page.watch()
  expect(queued).toHaveLength(1)
  const { transcript } = page.getSnapshot()
  expect(transcript).toMatchObject({ status: 'complete', queue: [], forkedAfter: fork.after })
  page.close()
})

test('[CMD-5] a view that hides prompts hides queued ones', async () => {
  const hidden = { hiddenFields: { meta_init: ['user_query'] } }
  const server = open(createSharedStore(), { view: () => hidden })
  const first = await server.ask('hold')
  expect(await server.queue('secret', { message_id: 'm1' })).toBe(202)
  await untilEmitted(server, ['queued m1'])
  expect((await server.view()).queue).toMatchObject([{ message_id: 'm1', text: '' }])
  server.gate.open()
  expect(await first.text()).not.toContain('secret')
})
