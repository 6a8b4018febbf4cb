import { loadState } from '../support/stores/load-stored.ts'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { defineFrontendTool } from '../../src/tools/define-tool.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import { demoPrompts, type Scenario } from 'millrace-tools/emulator'
import { createVerifier } from '../../src/events/index.ts'
import { createGate } from '../support/agents/agent-harness.ts'
import { createGatedModel } from '../support/agents/gated-model.ts'
import {
  createTestServers,
  errorOf,
  endlessPace,
  longAnswer,
  pendingIds,
  slowPace,
  upTo,
} from '../support/servers/test-servers.ts'
import { toAgent } from '../support/servers/test-server.ts'
import {
  payloadOf,
  readStream,
  type ReadStream,
  toMessages,
  typesOf,
} from '../support/frames/read-stream.ts'

const testServers = createTestServers()
const { open } = testServers

afterEach(testServers.close)

const idsOf = ({ frames }: ReadStream): number[] => frames.map(({ id }) => id)

function faultsOf({ frames, isDone }: ReadStream) {
  const verifier = createVerifier()
  return [...frames.flatMap(({ id, data }) => verifier.push(data, id)), ...verifier.end(isDone)]
}

describe('a run', () => {
  const demos = demoPrompts.map(({ prompt }) => prompt.replace(/\d+$/, '1000'))

  test.each([...demos, 'Hello'])(
    '%s conforms to the protocol from the first id to [DONE]',
    async (prompt) => {
      const { ask, errors, violations } = await open()
      const stream = await ask(prompt)
      expect(idsOf(stream)).toEqual(upTo(stream.frames.length))
      expect(faultsOf(stream)).toEqual([])
      expect(typesOf(stream).at(0)).toBe('meta_init')
      expect(typesOf(stream).at(-1)).toBe('meta_end')
      expect(violations).toEqual([])
      expect(errors).toEqual([])
    },
  )

  test('has tool results after their calls', async () => {
    const { ask } = await open()
    const types = typesOf(await ask('/demo tools Oslo'))
    expect(types.filter((type) => ['tool_call', 'tool_result'].includes(type))).toEqual([
      'tool_call',
      'tool_call',
      'tool_result',
      'tool_result',
    ])
  })

  test('with a failing model ends with an error and the end', async () => {
    const { ask } = await open()
    const stream = await ask('/demo error')
    expect(typesOf(stream).slice(-2)).toEqual(['error', 'meta_end'])
    expect(payloadOf(stream, 'meta_end')).toMatchObject({ stop_reason: 'error' })
  })

  test('is the second of a session: it continues the ids, and its stream starts at its own', async () => {
    const { ask, watch } = await open()
    const first = await ask('/demo text')
    const second = await ask('/demo thinking', { agent_uuid: first.session })
    const { length } = first.frames
    expect(idsOf(second)).toEqual(upTo(second.frames.length).map((id) => id + length))
    expect((await watch(first.session)).frames).toEqual([...first.frames, ...second.frames])
  })

  test('is not stopped by a disconnect', async () => {
    const model = createGatedModel()
    const server = await open({ agents: { demo: createAgent({ name: 'demo', model }) } })
    const session = crypto.randomUUID()
    const response = await server.post('/agent/run', { agent_uuid: session, user_prompt: 'go' })
    const cut = await readStream(response, ({ frames }) => frames.length > 5)
    expect(cut.isDone).toBe(false)
    model.release()
    const rest = await server.watch(session, cut.frames.length)
    expect(rest.isDone).toBe(true)
    const whole = [...cut.frames, ...rest.frames]
    expect(whole.map(({ id }) => id)).toEqual(upTo(whole.length))
    expect(faultsOf({ ...rest, frames: whole })).toEqual([])
    const text = toMessages({ frames: whole }).find(({ type }) => type === 'text')
    expect(text?.delta).toBe(Array.from({ length: 100 }, (_, n) => `${n} `).join(''))
  })

  test('whose agent throws ends with an error and the end, without the message of the exception', async () => {
    const agents = {
      throwing: toAgent(async function* ({ agent }) {
        yield { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] }
        yield { type: 'block_start', agent, block: 0, kind: 'text', content: { type: 'text' } }
        yield { type: 'block_delta', agent, block: 0, text: 'half a' }
        throw new Error('secret at /home/someone/agent.ts')
      }),
      silent: toAgent(async function* () {}),
      refusing: toAgent(() => {
        throw new TypeError('secret')
      }),
    }
    const { ask, errors } = await open({ agents })
    for (const agent_type of Object.keys(agents)) {
      const stream = await ask('hello', { agent_type })
      expect(stream.isDone).toBe(true)
      expect(typesOf(stream).slice(-2)).toEqual(['error', 'meta_end'])
      expect(JSON.stringify(stream)).not.toContain('secret')
    }
    expect(errors).toHaveLength(3)
  })
})

describe('reading', () => {
  test('[LOG-3] resuming after any id gives exactly the rest', async () => {
    const { ask, get } = await open()
    const { session, frames } = await ask('/demo tools')
    for (let cursor = 0; cursor <= frames.length; cursor++) {
      const headers = { 'last-event-id': String(cursor) }
      // The header takes precedence over the query.
      const response = await get(`/agent/${session}/stream?compact=0&cursor=0`, headers)
      const rest = await readStream(response)
      expect(rest.frames).toEqual(frames.slice(cursor))
      expect(rest.isDone).toBe(true)
    }
  })

  test('[LOG-3] resuming after any id of an active run gives exactly the rest', async () => {
    const server = await open({ pace: slowPace, scenarios: [longAnswer] })
    const session = crypto.randomUUID()
    const run = server.post('/agent/run', { agent_uuid: session, user_prompt: 'go' })
    const whole = run.then((response) => readStream(response))
    await run
    const readers: Promise<ReadStream>[] = []
    for (let cursor = 0; cursor < 60; cursor++) {
      const seen = await server.get(`/agent/${session}`)
      const { tail } = (await seen.json()) as { tail: number }
      readers.push(server.watch(session, Math.min(cursor, tail)))
    }
    const { frames } = await whole
    for (const rest of await Promise.all(readers)) {
      const first = rest.frames[0]?.id ?? 1
      expect(first).toBeLessThanOrEqual(60)
      expect(rest).toMatchObject({ isDone: true, frames: frames.slice(first - 1) })
    }
  })

  test('[LOG-6] an invalid cursor is rejected, and the response names valid ones', async () => {
    const store = createMemoryStore({ maxMessagesPerSession: 10 })
    const { post, get } = await open({ store })
    const session = crypto.randomUUID()
    const run = await post('/agent/run', { agent_uuid: session, user_prompt: '/demo text' })
    await run.body?.cancel()
    const stateOf = async () => (await get(`/agent/${session}`)).json()
    await expect.poll(stateOf).toMatchObject({ status: 'ended' })
    const { tail } = (await stateOf()) as { tail: number }
    const stream = (cursor: string) =>
      get(`/agent/${session}/stream?cursor=${cursor}`).then(errorOf)
    for (const cursor of ['x', '-1', '1.', '1.x', '1e3', '9'.repeat(40)]) {
      expect(await stream(cursor)).toMatchObject({ status: 400, code: 'cursor_malformed' })
    }
    expect(await stream(String(tail + 1))).toMatchObject({
      status: 409,
      code: 'cursor_ahead',
      tail,
    })
    const earliest = tail - 9
    expect(await stream('0')).toMatchObject({ status: 410, code: 'cursor_trimmed', earliest })
    const rest = await readStream(
      await get(`/agent/${session}/stream?compact=0&cursor=${earliest - 1}`),
    )
    expect(idsOf(rest)).toEqual(upTo(10).map((id) => id + earliest - 1))
  })

  test('[SSE-3] a silent stream has heartbeats', async () => {
    const gate = createGate()
    const waiting = toAgent(async function* ({ agent }) {
      await gate.passed
      const usage = { input_tokens: 0, output_tokens: 0 }
      yield {
        type: 'run_end',
        agent,
        stopReason: 'end_turn',
        steps: 0,
        usage,
        messages: [],
        files: [],
      }
    })
    const { post } = await open({ heartbeatMs: 10, agents: { waiting } })
    const response = await post('/agent/run', { user_prompt: 'hello', agent_type: 'waiting' })
    const stream = await readStream(response, ({ comments }) => {
      if (comments.length > 2) gate.open()
      return false
    })
    expect(stream.isDone).toBe(true)
  })

  test('follow=1 stays across runs, and ends without [DONE] when the server does', async () => {
    const server = await open()
    const first = await server.ask('/demo text')
    const followed = readStream(
      await server.get(`/agent/${first.session}/stream?compact=0&follow=1`),
    )
    const second = await server.ask('/demo tools', { agent_uuid: first.session })
    await server.close()
    const stream = await followed
    expect(stream.frames).toEqual([...first.frames, ...second.frames])
    expect(stream.isDone).toBe(false)
  })

  test('streams are neither cached nor transformed', async () => {
    const { post } = await open()
    const response = await post('/agent/run', { user_prompt: '/demo text' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    await response.body?.cancel()
  })
})

describe('calls pending for the browser', () => {
  const question = defineFrontendTool({
    name: 'user_confirm',
    description: 'Asks.',
    input: { type: 'object' },
  })

  /** Asks two questions at once. */
  const twoQuestions: Scenario = {
    name: 'two',
    summary: 'two questions',
    matches: () => true,
    reply: ({ step, results }) =>
      step > 0
        ? { blocks: [{ type: 'text', text: results.map(({ text }) => text).join(' and ') }] }
        : {
            blocks: ['one', 'two'].map((ask) => ({
              type: 'tool_use' as const,
              name: 'user_confirm',
              input: { ask },
            })),
          },
  }

  test('resume the run with the answer', async () => {
    const { ask, answer, watch, get, violations } = await open()
    const paused = await ask('/demo frontend')
    expect(typesOf(paused).slice(-2)).toEqual(['awaiting_frontend_tools', 'meta_end'])
    const [id = ''] = pendingIds(paused)
    const state = await (await get(`/agent/${paused.session}`)).json()
    expect(state).toMatchObject({
      status: 'paused',
      pending: [{ tool_use_id: id, name: 'user_confirm' }],
    })
    const rest = await answer(paused.session, { [id]: 'yes' })
    expect(typesOf(rest).slice(0, 2)).toEqual(['tool_status', 'tool_result'])
    expect(JSON.stringify(toMessages(rest))).toContain('**Sent.**')
    const whole = await watch(paused.session)
    expect(whole.frames).toEqual([...paused.frames, ...rest.frames])
    expect(faultsOf(whole)).toEqual([])
    expect(violations).toEqual([])
    expect(await (await get(`/agent/${paused.session}`)).json()).toMatchObject({
      status: 'ended',
      pending: [],
    })
  })

  test('get the same stream again for a repeated answer, also after later runs', async () => {
    const { ask, answer } = await open()
    const { session, ...paused } = await ask('/demo frontend')
    const [id = ''] = pendingIds(paused)
    const rest = await answer(session, { [id]: 'yes' })
    expect(await answer(session, { [id]: 'yes' })).toEqual(rest)
    await ask('/demo text', { agent_uuid: session })
    expect(await answer(session, { [id]: 'yes' })).toEqual(rest)
  })

  test('are not found for an unknown id or session, and nothing is stored', async () => {
    const { ask, post, answer } = await open()
    const { session, ...paused } = await ask('/demo frontend')
    const [id = ''] = pendingIds(paused)
    const send = async (agent_uuid: string, ...ids: string[]) => {
      const tool_results = ids.map((tool_use_id) => ({ tool_use_id, content: 'no' }))
      return errorOf(await post('/agent/tool_results', { agent_uuid, tool_results }))
    }
    expect(await send(session, id, 'toolu_other')).toMatchObject({ status: 404, code: 'not_found' })
    expect(await send(crypto.randomUUID(), id)).toMatchObject({ status: 404, code: 'not_found' })
    expect(JSON.stringify(toMessages(await answer(session, { [id]: 'yes' })))).toContain(
      '**Sent.**',
    )
  })

  test('may be answered in part, and the run waits for the rest', async () => {
    const { ask, answer, get } = await open({ tools: [question], scenarios: [twoQuestions] })
    const { session, ...paused } = await ask('go', { agent_type: 'custom' })
    const [one = '', two = ''] = pendingIds(paused)
    const part = await answer(session, { [two]: 'second' })
    expect(part).toMatchObject({ status: 200, isDone: true })
    expect(toMessages(part)).toMatchObject([{ type: 'tool_status', id: two, stage: 'answered' }])
    expect(await answer(session, { [two]: 'second' })).toEqual(part)
    const state = await (await get(`/agent/${session}`)).json()
    expect(state).toMatchObject({ status: 'paused', pending: [{ tool_use_id: one }] })
    const rest = await answer(session, { [one]: 'first' })
    expect(toMessages(rest).find(({ type }) => type === 'text')?.delta).toBe('first and second')
    expect(await answer(session, { [two]: 'second' })).toEqual(part)
    expect(await answer(session, { [one]: 'first' })).toEqual(rest)
  })

  test.each([' ', [{ type: 'text' }], [{ type: 'image' }]])(
    'are unchanged by an invalid prompt (%j)',
    async (user_prompt) => {
      const { ask, answer, get, post } = await open()
      const { session, ...paused } = await ask('/demo frontend')
      const [id = ''] = pendingIds(paused)
      const before = await (await get(`/agent/${session}`)).json()
      expect((await post('/agent/run', { agent_uuid: session, user_prompt })).status).toBe(400)
      expect(await (await get(`/agent/${session}`)).json()).toEqual(before)
      expect(typesOf(await answer(session, { [id]: 'yes' })).at(-1)).toBe('meta_end')
    },
  )

  test('are closed by a new prompt', async () => {
    const { ask, post, watch } = await open()
    const { session, ...paused } = await ask('/demo frontend')
    const [tool_use_id = ''] = pendingIds(paused)
    await ask('/demo text', { agent_uuid: session })
    const tool_results = [{ tool_use_id, content: 'yes' }]
    const late = await post('/agent/tool_results', { agent_uuid: session, tool_results })
    expect(await errorOf(late)).toMatchObject({ status: 409, code: 'conflict' })
    expect(faultsOf(await watch(session))).toEqual([])
  })
})

describe('closing', () => {
  test('ends an active run regularly', async () => {
    const store = createMemoryStore()
    const server = await open({ store, pace: endlessPace, scenarios: [longAnswer] })
    const session = crypto.randomUUID()
    const response = await server.post('/agent/run', { agent_uuid: session, user_prompt: 'go' })
    let isClosing: Promise<void> | undefined
    const stream = await readStream(response, ({ frames }) => {
      if (frames.length > 20) isClosing ??= server.close()
      return false
    })
    await isClosing
    expect(stream.isDone).toBe(true)
    expect(faultsOf(stream)).toEqual([])
    expect(payloadOf(stream, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
    // Text that users have read is part of the conversation, although it was interrupted.
    const shown = toMessages(stream).find(({ type }) => type === 'text')?.delta
    const state = await loadState(store, session)
    expect(state?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: shown }],
    })
  })

  test('ends a run whose agent ignores the signal', async () => {
    const hanging = toAgent(async function* ({ agent }) {
      yield { type: 'run_start', agent, runId: 'r', prompt: 'p', model: 'm', messages: [] }
      await new Promise(() => {})
    })
    const server = await open({ agents: { hanging }, limits: { abortGraceMs: 20 } })
    const body = { user_prompt: 'go', agent_type: 'hanging' }
    const stream = readStream(await server.post('/agent/run', body))
    await server.close()
    expect(typesOf(await stream)).toEqual(['meta_init', 'error', 'meta_end'])
    expect(payloadOf(await stream, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
  })
})

describe('rejected requests', () => {
  const session = crypto.randomUUID()

  test.each([
    ['no prompt', {}, 400, 'user_prompt'],
    ['an empty prompt', { user_prompt: '' }, 400, 'must not be empty'],
    ['a blank prompt', { user_prompt: ' \n' }, 400, 'must not be empty'],
    ['no blocks', { user_prompt: [] }, 400, 'must not be empty'],
    ['blank blocks', { user_prompt: [{ type: 'text', text: ' ' }] }, 400, 'must not be empty'],
    ['text without text', { user_prompt: [{ type: 'text' }] }, 400, 'text with `text`'],
    ['an image without a source', { user_prompt: [{ type: 'image' }] }, 400, '`source` object'],
    ['a forged result', { user_prompt: [{ type: 'tool_result' }] }, 400, 'text, image or document'],
    ['no UUID', { user_prompt: 'x', agent_uuid: '../etc' }, 400, 'UUID'],
    ['another format', { user_prompt: 'x', format: 'yaml' }, 400, 'json'],
    ['an unknown agent', { user_prompt: 'x', agent_type: 'constructor' }, 400, 'demo, custom'],
    ['a body that is too large', { user_prompt: 'x'.repeat(1_048_576) }, 413, '1048576'],
  ])('%s', async (_, body, status, words) => {
    const { post } = await open()
    const error = await errorOf(await post('/agent/run', body))
    expect(error.status).toBe(status)
    expect(error.message).toContain(words)
  })

  test('a client that disconnects while it sends is not logged as a failure', async () => {
    const { url, errors, get } = await open()
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    const head = 'POST /agent/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    socket.write(`${head}Content-Length: 1000\r\n\r\n{"user_`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.resetAndDestroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await get('/health')).status).toBe(200)
    expect(errors).toEqual([])
  })

  test('invalid JSON, another origin, and an unknown path', async () => {
    const { post, get, url } = await open()
    const plain = await post('/agent/run', { user_prompt: 'x' }, { 'content-type': 'text/plain' })
    expect(await errorOf(plain)).toMatchObject({ status: 415 })
    const foreign = await post(
      '/agent/run',
      { user_prompt: 'x' },
      { origin: 'https://evil.example' },
    )
    expect(await errorOf(foreign)).toMatchObject({ status: 403, code: 'forbidden' })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await fetch(`${url}/agent/run`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(403)
    expect(await errorOf(await get('/nowhere'))).toMatchObject({ status: 404 })
    expect(await errorOf(await get(`/agent/${session}/stream`))).toMatchObject({ status: 404 })
    expect(await errorOf(await get('/agent/not-a-session'))).toMatchObject({ status: 400 })
  })

  test('a session that a request may not read is not found', async () => {
    const seen: string[] = []
    const server = await open({
      authorize: (request, action, of) => {
        seen.push(`${action} ${of === undefined ? 'new' : 'session'}`)
        if (action === 'list') return new Response('log in', { status: 401 })
        return request.headers.get('authorization') === 'Bearer key'
      },
    })
    const key = { authorization: 'Bearer key' }
    const run = await server.post('/agent/run', { agent_uuid: session, user_prompt: 'x' }, key)
    await run.text()
    expect((await server.get(`/agent/${session}/stream`, key)).status).toBe(200)
    const hidden = await errorOf(await server.get(`/agent/${session}/stream`))
    const absent = await errorOf(await server.get(`/agent/${crypto.randomUUID()}/stream`, key))
    expect(hidden.status).toBe(404)
    expect(hidden.message.replace(session, '')).toBe(absent.message.replace(/[0-9a-f-]{36}/, ''))
    expect((await server.get('/agent/sessions')).status).toBe(401)
    expect((await server.post('/agent/run', { user_prompt: 'x' })).status).toBe(403)
    expect(new Set(seen)).toEqual(new Set(['run session', 'read session', 'list new', 'run new']))
  })

  test('more than the limits of the server', async () => {
    const limits = { maxActiveRuns: 1 }
    const server = await open({ pace: endlessPace, scenarios: [longAnswer], limits })
    const first = await server.post('/agent/run', { user_prompt: 'x' })
    const second = await server.post('/agent/run', { user_prompt: 'x' })
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await errorOf(second)).toMatchObject({ status: 503, code: 'overloaded' })
    await first.body?.cancel()
  })
})

test('sessions are listed, the latest first', async () => {
  const { ask, get } = await open()
  const first = await ask('/demo text')
  const second = await ask('/demo thinking')
  const list = await (await get('/agent/sessions?limit=10')).json()
  expect(list).toMatchObject({
    total: 2,
    sessions: [
      { agent_uuid: second.session, title: '/demo thinking', status: 'ended', total_runs: 1 },
      { agent_uuid: first.session, title: '/demo text', status: 'ended', total_runs: 1 },
    ],
  })
  expect(await (await get('/health')).json()).toMatchObject({ status: 'healthy', readers: 0 })
})
