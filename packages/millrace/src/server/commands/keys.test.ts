import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandServerOptions,
  openCommandServer,
  runsIn,
  session,
} from '../../../test/support/servers/command-server.ts'
import {
  readStream,
  type ReadStream,
  toMessages,
} from '../../../test/support/frames/read-stream.ts'
import { call, text } from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { decodeEnvelope, type Model } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import type { Handler } from '../handler.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(store: Store = createMemoryStore(), options: CommandServerOptions = {}) {
  const server = openCommandServer(store, options)
  handlers.push(server.handler)
  return server
}

const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { error: { code: string; reason?: string } }).error,
})

const hold = { message_id: 'm1' }

describe('[CMD-2] the same key and content', () => {
  test('of a prompt gives the stream of its run, during it and after its end, from its first frame', async () => {
    const server = open()
    const first = readStream(await server.ask('hold', hold))
    const second = readStream(await server.ask('hold', hold))
    // The key may be in a header too.
    const third = readStream(await server.ask('hold', {}, { 'idempotency-key': 'm1' }))
    server.gate.open()
    const { frames } = await first
    expect((await second).frames).toEqual(frames)
    expect((await third).frames).toEqual(frames)
    await (await server.ask('another')).text()
    const late = await readStream(await server.ask('hold', hold))
    expect(late).toMatchObject({ frames, isDone: true })
    expect(runsIn(await server.log())).toEqual(['m1', undefined])
  })

  test('of a prompt, and of answers, replays deltas merged, unless each is asked for', async () => {
    const words = 'abc'.repeat(20)
    const said = { content: [text(words)] }
    const script = createScriptedModel([said, { content: [call('c1', 'confirm')] }, said])
    const model: Model = {
      ...script,
      // Deltas that arrive in one turn of the event loop are one frame.
      async *stream(request, options) {
        for await (const event of script.stream(request, options)) {
          yield event
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
    }
    const server = open(createMemoryStore(), { agent: { model } })
    const read = async (path: string, body: object) => readStream(await server.post(path, body))
    const textsIn = ({ frames }: ReadStream) =>
      frames
        .map(({ data }) => decodeEnvelope(data))
        .flatMap(({ type, delta, span }) => (type === 'text' ? [[delta, span]] : []))
    const compare = async (path: string, body: object) => {
      const live = await read(path, body)
      expect(textsIn(live)).toEqual([
        ...Array.from({ length: 20 }, () => ['abc', undefined]),
        ['', undefined],
      ])
      const again = await read(path, body)
      expect(textsIn(again)).toEqual([
        [words, 20],
        ['', undefined],
      ])
      expect(again.frames.at(-1)?.id).toBe(live.frames.at(-1)?.id)
      expect((await read(`${path}?compact=0`, body)).frames).toEqual(live.frames)
    }
    await compare('run', { agent_uuid: session, user_prompt: 'hi', ...hold })
    await read('run', { agent_uuid: session, user_prompt: 'ask' })
    const answers = [{ tool_use_id: 'c1', content: 'yes' }]
    await compare('tool_results', { agent_uuid: session, tool_results: answers })
  })

  test('of a prompt is recognized for the life of the session, after any number of prompts', async () => {
    const server = open()
    const { frames } = await readStream(await server.ask('first', { message_id: 'm1' }))
    for (let n = 0; n < 101; n++) await (await server.ask(`n${n}`, { message_id: `k${n}` })).text()
    const again = await readStream(await server.ask('first', { message_id: 'm1' }))
    expect(again.frames).toEqual(frames)
    expect(await server.view()).toMatchObject({ total_runs: 102 })
  })

  test('of a prompt whose run has paused gives the frames before the pause', async () => {
    const server = open()
    const asked = await readStream(await server.ask('ask', hold))
    const answer = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
    await (await server.post('tool_results', answer)).text()
    expect((await readStream(await server.ask('ask', hold))).frames).toEqual(asked.frames)
  })

  test('of a message to a run, an answer and a stop changes nothing the second time', async () => {
    const server = open()
    const stream = await server.ask('hold')
    const steer = { user_prompt: 'hurry', message_id: 's1' }
    for (let n = 0; n < 3; n++) {
      const received = await server.post(`${session}/steer`, steer)
      expect(await received.json()).toEqual({ steered: true })
    }
    server.gate.open()
    const received = toMessages(await readStream(stream)).filter(
      ({ type }) => type === 'user_message',
    )
    expect(received).toMatchObject([{ delta: 'hurry', message_id: 's1' }])
    expect(await (await server.post(`${session}/steer`, steer)).json()).toEqual({ steered: true })
    await (await server.ask('ask')).text()
    const answer = {
      agent_uuid: session,
      tool_results: [{ tool_use_id: 'c1', content: 'yes' }],
      message_id: 'a1',
    }
    const [one, two] = [
      await readStream(await server.post('tool_results', answer)),
      await readStream(await server.post('tool_results', answer)),
    ]
    expect(two.frames).toEqual(one.frames)
  })

  test('of a stop does not stop the next run', async () => {
    const server = open()
    const stream = await server.ask('hold')
    const stop = { message_id: 'x1' }
    const stopAgain = async () => (await server.post(`${session}/stop`, stop)).json()
    expect(await stopAgain()).toEqual({ stopped: true })
    await stream.text()
    const next = await server.ask('hold')
    expect(await stopAgain()).toEqual({ stopped: true })
    server.gate.open()
    expect(await next.text()).toContain('end_turn')
    const idle = { message_id: 'x2' }
    const nothing = async () => (await server.post(`${session}/stop`, idle)).json()
    expect(await nothing()).toEqual({ stopped: false })
    const last = await server.ask('go')
    expect(await nothing()).toEqual({ stopped: false })
    expect(await last.text()).toContain('end_turn')
  })
})

describe('[CMD-2] the same key of a rename', () => {
  test.each([
    ['without a run', 'go', false],
    ['during a run', 'hold', false],
    ['during a run on another server', 'hold', true],
  ])('%s does not replace a later title, and has the same response', async (_, prompt, isFar) => {
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const server = open(store)
    const other = isFar ? open(store, { recovers: false }) : server
    const run = await server.ask(prompt)
    if (prompt === 'go') await run.text()
    const rename = async (title: string, fields: object = {}) => {
      const response = await other.rename(title, fields)
      return response.json()
    }
    const title = async () => (await server.view()).title
    const first = { agent_uuid: session, title: 'Rome' }
    expect(await rename('Rome', { message_id: 'n1' })).toEqual(first)
    await expect.poll(title).toBe('Rome')
    await rename('Paris')
    await expect.poll(title).toBe('Paris')
    expect(await rename('Rome', { message_id: 'n1' })).toEqual(first)
    expect(await rename('Oslo', { message_id: 'n1' })).toMatchObject({
      error: { code: 'conflict', reason: 'key_reused' },
    })
    server.gate.open()
    if (prompt !== 'go') await run.text()
    expect(await title()).toBe('Paris')
    expect(await rename('Rome', { message_id: 'n1' })).toEqual(first)
    expect(await title()).toBe('Paris')
  })
})

describe('[CMD-2] a rename whose command cannot be settled separately', () => {
  const setUp = () => {
    const shared: Store = { ...createMemoryStore(), isDurable: true }
    const settle = () => Promise.reject(new Error('The connection is lost.'))
    const server = open({ ...shared, settle })
    const title = async () => (await server.view()).title
    const status = async (response: Promise<Response>) => (await response).status
    return { shared, server, title, status }
  }

  test.each([
    ['its server', false],
    ['another server', true],
  ])('does not replace a later title, during a run of %s', async (_, isFar) => {
    const { shared, server, title, status } = setUp()
    const other = isFar ? open(shared, { recovers: false }) : server
    const run = await server.ask('hold')
    const keyed = { message_id: 'n1' }
    expect(await status(other.rename('Rome', keyed))).toBe(200)
    await expect.poll(title).toBe('Rome')
    server.gate.open()
    await run.text()
    expect(await status(server.rename('Paris', { message_id: 'n2' }))).toBe(200)
    const next = open(shared)
    await next.handler.recover()
    expect(await title()).toBe('Paris')
    for (const one of [other, next]) expect(await status(one.rename('Rome', keyed))).toBe(200)
    expect(await title()).toBe('Paris')
    expect(await shared.info(session)).toMatchObject({ pending: 0 })
  })

  test('does not replace a later title, if it is carried out without a run', async () => {
    const { shared, server, title, status } = setUp()
    await (await server.ask('go')).text()
    const command = { type: 'rename', title: 'Rome' }
    await shared.submit(session, { key: 'k', body: JSON.stringify({ run: 1, command }) })
    // It takes the earlier title first.
    expect(await status(server.rename('Paris', { message_id: 'n2' }))).toBe(200)
    await expect.poll(async () => (await shared.info(session))?.pending).toBe(0)
    await open(shared).handler.recover()
    expect(await title()).toBe('Paris')
  })
})

describe('[CMD-2] the same key with other content', () => {
  test('is rejected by every route, and changes nothing', async () => {
    const server = open()
    await (await server.ask('ask', { message_id: 'k' })).text()
    const results = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
    const approvals = {
      agent_uuid: session,
      approvals: [{ tool_use_id: 'c1', decision: 'refuse' }],
    }
    for (const [path, body] of [
      ['run', { agent_uuid: session, user_prompt: 'something else' }],
      ['run', { agent_uuid: session, user_prompt: 'something else', when_busy: 'queue' }],
      ['tool_results', results],
      ['tool_approvals', approvals],
      [`${session}/steer`, { user_prompt: 'ask' }],
      [`${session}/stop`, {}],
    ] as const) {
      const refused = await errorOf(await server.post(path, { ...body, message_id: 'k' }))
      expect(refused).toMatchObject({ status: 409, code: 'conflict', reason: 'key_reused' })
    }
    expect(await server.view()).toMatchObject({ status: 'paused', total_runs: 1, queue: [] })
  })
})

describe('[CMD-2] a key', () => {
  test.each([
    [{ message_id: '' }, {}],
    [{ message_id: 'x'.repeat(201) }, {}],
    [{ message_id: 'two words' }, {}],
    [{}, { 'idempotency-key': 'x'.repeat(201) }],
    [{ message_id: 'one' }, { 'idempotency-key': 'two' }],
    [{ message_id: 'one', agent_uuid: undefined }, {}],
  ])('that is invalid is rejected: %j %j', async (fields, headers) => {
    const server = open()
    expect(await errorOf(await server.ask('go', fields, headers))).toMatchObject({ status: 400 })
    const other = { ...fields, user_prompt: 'go' }
    if ('agent_uuid' in fields) return
    expect((await server.post(`${session}/steer`, other, headers)).status).not.toBe(200)
  })

  test('of 200 characters names the run in its first frame', async () => {
    const server = open()
    const id = '~'.repeat(200)
    const stream = await readStream(await server.ask('go', { message_id: id }))
    expect(runsIn(stream)).toEqual([id])
    expect(runsIn(await readStream(await server.ask('go')))).toEqual([undefined])
  })
})

test('[CMD-2] a repeated stop without an effect has the same outcome, though its server was killed while it stored that', async () => {
  const shared: Store = { ...createMemoryStore(), isDurable: true, send: async () => {} }
  // The outcome stays pending until the next run begins.
  const store: Store = { ...shared, unattended: async () => ({ rows: [] }) }
  const settle = () => Promise.reject(new Error('The connection is lost.'))
  const dying = open({ ...store, settle })
  await (await dying.ask('go')).text()
  const stop = { message_id: 's1' }
  expect((await dying.post(`${session}/stop`, stop)).status).toBe(503)
  const next = open(store)
  const stopAgain = async () => (await next.post(`${session}/stop`, stop)).json()
  expect(await stopAgain()).toEqual({ stopped: false })
  const run = await next.ask('hold')
  expect(await stopAgain()).toEqual({ stopped: false })
  next.gate.open()
  expect(await run.text()).toContain('end_turn')
  await expect.poll(async () => (await store.info(session))?.pending).toBe(0)
  expect(await stopAgain()).toEqual({ stopped: false })
})

describe('the id of a message of another protocol is its key', () => {
  const agUi = (id: string, content: string, runId: string = crypto.randomUUID()) => ({
    path: 'ag-ui',
    body: { threadId: session, runId, messages: [{ id, role: 'user', content }] },
  })
  const aiSdk = (id: string, words: string, fields: object = {}) => ({
    path: 'ai-sdk/chat',
    body: {
      id: session,
      messages: [{ id, role: 'user', parts: [{ type: 'text', text: words }] }],
      ...fields,
    },
  })
  const ended = /RUN_FINISHED|"type":"finish"/
  type Sent = ReturnType<typeof agUi> | ReturnType<typeof aiSdk>

  const send = ({ handler }: ReturnType<typeof open>, { path, body }: Sent): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )

  test.each([
    ['AG-UI', agUi],
    ['AI SDK', aiSdk],
  ])('%s: its prompt runs once, also after other messages, and concurrently', async (_, toSent) => {
    const server = open()
    const first = await (await send(server, toSent('m1', 'one'))).text()
    expect(first).toMatch(ended)
    await (await send(server, toSent('m2', 'two'))).text()
    const again = await (await send(server, toSent('m1', 'one'))).text()
    expect(again).toMatch(ended)
    await Promise.all(
      Array.from({ length: 4 }, async () => (await send(server, toSent('m3', 'three'))).text()),
    )
    expect(runsIn(await server.log())).toEqual(['m1', 'm2', 'm3'])
  })

  test.each([
    ['AG-UI', agUi],
    ['AI SDK', aiSdk],
  ])('%s: with other text it is another prompt', async (_, toSent) => {
    const server = open()
    await (await send(server, toSent('m1', 'one'))).text()
    await (await send(server, toSent('m1', 'other'))).text()
    expect(runsIn(await server.log())).toEqual(['m1', 'm1'])
  })

  test.each([
    ['AG-UI', agUi],
    ['AI SDK', aiSdk],
  ])('%s: its prompt runs again after its run was stopped', async (_, toSent) => {
    const server = open()
    const stopped = await send(server, toSent('m1', 'hold'))
    await server.post(`${session}/stop`, {})
    await stopped.text()
    server.gate.open()
    await (await send(server, toSent('m1', 'hold'))).text()
    await (await send(server, toSent('m1', 'hold'))).text()
    expect(runsIn(await server.log())).toEqual(['m1', 'm1'])
  })

  test('a page that restores an earlier text, or regenerates, begins another run', async () => {
    const server = open()
    for (const sent of [
      aiSdk('m1', 'one'),
      aiSdk('m1', 'other', { messageId: 'm1' }),
      aiSdk('m1', 'one', { messageId: 'm1' }),
      aiSdk('m1', 'one', { trigger: 'regenerate-message' }),
    ])
      await (await send(server, sent)).text()
    expect(runsIn(await server.log())).toEqual(['m1', 'm1', 'm1', 'm1'])
  })
})
