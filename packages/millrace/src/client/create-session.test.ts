import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  createScriptedServer,
  type Fault,
  type ScriptedServerOptions,
} from '../../test/support/frames/scripted-server.ts'
import type { Envelope } from '../events/index.ts'
import type { Transcript } from './transcript/index.ts'
import { createSession } from './transport/http/http-session.ts'
import type { Frame, SessionOptions } from './session.ts'

const agent = '0b0e7c3a-1111-4222-8333-444455556666'

function line(envelope: Partial<Envelope>): string {
  return JSON.stringify({ type: 'text', agent, final: false, delta: '', ...envelope })
}

const init = (prompt: string) =>
  line({
    type: 'meta_init',
    final: true,
    delta: JSON.stringify({ format: 'json', user_query: prompt, agent_uuid: agent, model: 'm' }),
  })
const text = (words: readonly string[]) => [
  ...words.map((delta) => line({ delta })),
  line({ final: true }),
]
const end = (reason: string) =>
  line({ type: 'meta_end', final: true, delta: JSON.stringify({ stop_reason: reason }) })

const keyIn = (body: unknown) => (body as { message_id?: string } | undefined)?.message_id

const answerRun = [init('hello'), ...text(['Hé', 'llo ', '🌊', ' there', '.']), end('end_turn')]

const question = { tool_use_id: 't1', name: 'user_confirm', input: { question: 'Go on?' } }
const other = { tool_use_id: 't2', name: 'pick', input: {} }

function pausedRun(...tools: readonly object[]): string[] {
  return [
    init('hello'),
    line({ type: 'tool_call', final: true, id: 't1', name: 'user_confirm', delta: '{}' }),
    line({ type: 'awaiting_frontend_tools', final: true, delta: JSON.stringify(tools) }),
    end('awaiting_frontend_tools'),
  ]
}

const result = (id: string) =>
  line({ type: 'tool_result', final: true, id, name: 'user_confirm', delta: 'yes' })
const resumedRun = [result('t1'), ...text(['Thanks.']), end('end_turn')]

function setUp(script: ScriptedServerOptions, options: Partial<SessionOptions> = {}) {
  const server = createScriptedServer(script)
  const session = createSession({
    url: 'http://test/',
    session: agent,
    fetch: server.fetch,
    retryDelayMs: 0,
    ...options,
  })
  return { server, session, look: () => session.getSnapshot() }
}

async function readWhole(runs: readonly (readonly string[])[]): Promise<Transcript> {
  const { session, look } = setUp({ runs })
  await session.run('hello')
  return look().transcript
}

describe('a run', () => {
  test('posts the prompt with the session id and ends idle with the complete transcript', async () => {
    const { server, session, look } = setUp(
      { runs: [answerRun] },
      { headers: async () => ({ authorization: 'Bearer t' }), runFields: { agent_type: 'a' } },
    )
    expect(look().connection.state).toBe('idle')
    const run = session.run('hello')
    expect(look().prompt).toMatchObject({ text: 'hello', state: 'sending' })
    await run
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/agent/run',
        body: { agent_type: 'a', agent_uuid: agent, user_prompt: 'hello' },
      },
    ])
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer t')
    const { transcript, connection, prompt } = look()
    expect(transcript.status).toBe('complete')
    expect(transcript.agents.at(0)?.blocks.at(0)).toMatchObject({ text: 'Héllo 🌊 there.' })
    expect(connection).toEqual({ state: 'idle', attempt: 0 })
    expect(prompt).toBeUndefined()
  })

  test('sends a content type only with a body, since browsers send a preflight for it', async () => {
    const { server, session } = setUp({
      runs: [answerRun],
      faults: [{ cut: { afterBytes: 200, how: 'error' } }],
    })
    await session.run('hello')
    expect(
      server.requests.map(({ method, headers }) => [method, headers.get('content-type')]),
    ).toEqual([
      ['POST', 'application/json'],
      ['GET', null],
    ])
  })

  test('is read to its end even if a listener throws, and the error is reported separately', async () => {
    const received = vi.fn()
    process.on('unhandledRejection', received)
    const { session, look } = setUp({ runs: [answerRun] })
    const failure = new Error('a listener failed')
    const stop = session.subscribe(() => {
      throw failure
    })
    const after = vi.fn()
    session.subscribe(after)
    const run = session.run('hello')
    stop()
    await run
    await vi.waitUntil(() => received.mock.calls.length > 0)
    process.off('unhandledRejection', received)
    expect(received.mock.calls).toEqual([[failure, expect.anything()]])
    expect(after).toHaveBeenCalled()
    expect(look().transcript.status).toBe('complete')
    expect(look().connection).toEqual({ state: 'idle', attempt: 0 })
  })

  test('rejects a second prompt during the first without a request', async () => {
    const { server, session } = setUp({ runs: [answerRun] })
    const first = session.run('hello')
    await expect(session.run('again')).rejects.toMatchObject({ code: 'conflict' })
    await first
    expect(server.count('POST')).toBe(1)
  })

  test('a listener may send the next prompt as soon as the session is idle', async () => {
    const prompts = ['hello', 'hello', 'hello']
    const { server, session, look } = setUp({ runs: prompts.map(() => answerRun) })
    const sendNext = () => {
      if (look().connection.state === 'idle' && prompts.length) void session.run(prompts.shift()!)
    }
    session.subscribe(sendNext)
    sendNext()
    await vi.waitUntil(() => look().transcript.agents.at(0)?.runs.length === 3)
    await vi.waitUntil(() => look().connection.state === 'idle')
    expect(server.count('POST')).toBe(3)
  })

  test('a session without an id generates one before the first response', async () => {
    const server = createScriptedServer({ runs: [answerRun] })
    const session = createSession({ url: 'http://test', fetch: server.fetch })
    await session.run('hello')
    expect(server.requests[0]?.body).toMatchObject({ agent_uuid: session.id })
  })
})

describe('connection failures', () => {
  const fault: fc.Arbitrary<Fault> = fc.oneof(
    fc.record({
      cut: fc.record({
        afterBytes: fc.nat(1_600),
        how: fc.constantFrom('end' as const, 'error' as const),
      }),
    }),
    fc.record({ skipId: fc.integer({ min: 1, max: answerRun.length - 1 }) }),
    fc.record({ repeat: fc.nat(4) }),
    fc.record({ lose: fc.constant('response' as const) }),
  )
  const laterFault: fc.Arbitrary<Fault> = fc.oneof(
    fault,
    fc.record({ lose: fc.constant('request' as const) }),
    fc.record({ refuse: fc.record({ status: fc.constantFrom(408, 429, 500, 502, 503, 504) }) }),
  )

  test('any cuts, gaps, repeats and failing gateways give the same transcript with one POST', async () => {
    const expected = await readWhole([answerRun])
    await fc.assert(
      fc.asyncProperty(
        fault,
        fc.array(laterFault, { maxLength: 8 }),
        fc.integer({ min: 1, max: 300 }),
        async (first, later, size) => {
          const script = { runs: [answerRun], faults: [first, ...later], pieceBytes: () => size }
          const { server, session, look } = setUp(script)
          await session.run('hello')
          expect(look().transcript).toEqual(expected)
          expect(look().connection).toEqual({ state: 'idle', attempt: 0 })
          expect(server.count('POST')).toBe(1)
        },
      ),
    )
  })

  test('a cut at every byte, and again at the same byte of the next response, gives the same transcript', async () => {
    const expected = await readWhole([answerRun])
    const length = 1_200
    for (let afterBytes = 0; afterBytes < length; afterBytes += 7) {
      const cut = { cut: { afterBytes, how: 'end' as const } }
      const { session, look } = setUp({ runs: [answerRun], faults: [cut, cut] })
      await session.run('hello')
      expect(look().transcript).toEqual(expected)
    }
  })

  test('the delay grows only while no new frame arrives, and is reported', async () => {
    const delays: number[] = []
    const faults: Fault[] = [
      { lose: 'response' },
      { refuse: { status: 503 } },
      { cut: { afterBytes: 400, how: 'error' } },
      { refuse: { status: 503, retryAfter: '0' } },
    ]
    const { session, look } = setUp(
      { runs: [answerRun], faults },
      { retryDelayMs: 4, now: () => 1_000, random: () => 0.5 },
    )
    session.subscribe(() => {
      const { state, retryAt } = look().connection
      if (state === 'waiting' && retryAt !== undefined) delays.push(retryAt - 1_000)
    })
    await session.run('hello')
    expect(delays).toEqual([2, 4, 2, 4])
  })

  test('a silent connection is closed and opened again', async () => {
    const { server, session, look } = setUp(
      { runs: [answerRun], faults: [{ cut: { afterBytes: 500, how: 'hang' } }] },
      { idleTimeoutMs: 20 },
    )
    await session.run('hello')
    expect(look().transcript.status).toBe('complete')
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  test('watch skips the remaining delay', async () => {
    const { session, look } = setUp(
      { runs: [answerRun], faults: [{ lose: 'response' }] },
      { retryDelayMs: 1e9, maxRetryDelayMs: 1e9 },
    )
    const run = session.run('hello')
    await vi.waitUntil(() => look().connection.state === 'waiting')
    expect(look().connection).toMatchObject({ attempt: 1, error: { code: 'connection_lost' } })
    void session.watch()
    await run
    expect(look().transcript.status).toBe('complete')
  })
})

describe('a stream without ids, as older servers send it,', () => {
  test('is read to its end', async () => {
    const body = [...answerRun, '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    const fetch = async () => new Response(body, { headers })
    const session = createSession({ url: 'http://test', fetch })
    await session.run('hello')
    const { transcript, prompt } = session.getSnapshot()
    expect(transcript.status).toBe('complete')
    expect(prompt).toBeUndefined()
  })
})

describe('a prompt whose request failed', () => {
  test('is looked up and sent again with the same key', async () => {
    const { server, session, look } = setUp({
      runs: [answerRun],
      faults: [{ lose: 'request' }],
    })
    await session.run('hello')
    expect(look()).toMatchObject({ prompt: undefined, transcript: { status: 'complete' } })
    const keys = server.requests.map(({ path, body }) => [path, keyIn(body)])
    const [[, key] = []] = keys
    expect(key).toMatch(/^[\da-f-]{36}$/)
    expect(keys).toEqual([
      ['/agent/run', key],
      [`/agent/${session.id}/stream`, undefined],
      ['/agent/run', key],
    ])
  })

  test('repeatedly is kept, and reported', async () => {
    const { server, session, look } = setUp({
      runs: [answerRun],
      faults: [{ lose: 'request' }, {}, { lose: 'request' }],
    })
    await expect(session.run('hello')).rejects.toMatchObject({ code: 'prompt_unsent' })
    expect(look().prompt).toMatchObject({ text: 'hello', state: 'unsent' })
    expect(look().connection).toMatchObject({ state: 'failed', error: { code: 'prompt_unsent' } })
    expect(server.count('POST')).toBe(2)
    await session.run('hello')
    expect(look().transcript.status).toBe('complete')
    expect(look().prompt).toBeUndefined()
  })

  test('is looked up until a server answers, and then reported if it is not there', async () => {
    const lost = { lose: 'request' } as const
    const { server, session, look } = setUp({
      runs: [answerRun],
      faults: Array.from({ length: 9 }, () => lost),
    })
    const states = new Set<unknown>()
    session.subscribe(() => {
      if (server.count('GET') > 3) states.add(look().prompt?.state)
    })
    await expect(session.run('hello')).rejects.toMatchObject({ code: 'prompt_unsent' })
    expect([...states]).toEqual(['sending', 'unsent'])
    expect(server.count('GET')).toBe(9)
    expect(server.count('POST')).toBe(1)
  })

  test('in a session with history is distinguished from one whose response was lost', async () => {
    const second = [init('more'), ...text(['More.']), end('end_turn')]
    const lost = setUp({ runs: [answerRun, second], faults: [{}, { lose: 'request' }] })
    await lost.session.run('hello')
    await lost.session.run('more')
    expect(lost.server.count('POST')).toBe(3)

    const arrived = setUp({ runs: [answerRun, second], faults: [{}, { lose: 'response' }] })
    await arrived.session.run('hello')
    await arrived.session.run('more')
    expect(arrived.look().prompt).toBeUndefined()
    expect(arrived.server.count('POST')).toBe(2)
  })

  test('is not considered received because another tab has sent a prompt meanwhile', async () => {
    const foreign = [init('from another tab'), ...text(['Hers.']), end('end_turn')]
    const { server, session, look } = setUp({ runs: [foreign], faults: [{ lose: 'request' }] })
    const asked = session.run('hello')
    await server.fetch('http://test/agent/run', {
      method: 'POST',
      body: JSON.stringify({ agent_uuid: session.id, user_prompt: 'from another tab' }),
    })
    await expect(asked).rejects.toMatchObject({ code: 'prompt_unsent' })
    expect(look().prompt).toMatchObject({ text: 'hello', state: 'unsent' })
    expect(look().transcript.agents.at(0)?.runs.length).toBe(1)
  })
})

describe('rejections', () => {
  test('are reported with the message of the server and not retried', async () => {
    const body = { error: { code: 'too_long', message: 'The prompt is too long; shorten it.' } }
    const { server, session, look } = setUp({
      runs: [answerRun],
      faults: [{ refuse: { status: 400, body } }],
    })
    await expect(session.run('hello')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The prompt is too long; shorten it.',
      details: { status: 400, code: 'too_long' },
    })
    expect(look().connection.state).toBe('failed')
    expect(look().prompt).toMatchObject({ text: 'hello', state: 'unsent' })
    expect(server.requests).toHaveLength(1)
  })

  test('a page in place of a stream is an error that suggests to check the url', async () => {
    const fetch = async () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
    const session = createSession({ url: 'http://test', fetch })
    await expect(session.watch()).rejects.toThrow(/200 text\/html: check the url/)
  })

  test('a line that is not an envelope is not requested repeatedly', async () => {
    const { server, session, look } = setUp({ runs: [[init('hello'), '{"no":1}']] })
    await expect(session.run('hello')).rejects.toMatchObject({ code: 'envelope_malformed' })
    expect(server.requests).toHaveLength(1)
    expect(look().connection.state).toBe('failed')
    expect(look().transcript).toMatchObject({
      status: 'error',
      error: { code: 'envelope_malformed', retriable: false },
    })
  })

  test('an unawaited promise that rejects does not end the process', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { session, look } = setUp({ runs: [], faults: [{ refuse: { status: 403 } }] })
    void session.run('hello')
    void session.run('again')
    await vi.waitUntil(() => look().connection.state === 'failed')
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('answers', () => {
  test('an answer continues the run, and is shown until the stream contains it', async () => {
    const { server, session, look } = setUp({ runs: [pausedRun(question), resumedRun] })
    await session.run('hello')
    expect(look().transcript.status).toBe('awaiting_tools')
    const answered = session.answer('t1', 'yes')
    expect(look().answers['t1']).toMatchObject({ content: 'yes', isError: false })
    await answered
    expect(server.requests[1]).toMatchObject({
      path: '/agent/tool_results',
      body: {
        agent_uuid: agent,
        tool_results: [{ tool_use_id: 't1', content: 'yes', is_error: false }],
      },
    })
    expect(look().transcript.status).toBe('complete')
    expect(look().answers).toEqual({})
  })

  test('each is sent separately, and the others stay pending', async () => {
    const { server, session, look } = setUp({
      runs: [pausedRun(question, other), resumedRun],
      answersPerRun: 2,
    })
    await session.run('hello')
    await session.answer('t1', 'yes')
    expect(look().answers).toEqual({ t1: { content: 'yes', isError: false } })
    expect(look().transcript.status).toBe('awaiting_tools')
    await session.answer('t1', 'no')
    expect(look().answers).toMatchObject({ t1: { content: 'yes' } })
    await session.answer('t2', 'that', { isError: true })
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      {},
      { tool_results: [{ tool_use_id: 't1' }] },
      { tool_results: [{ tool_use_id: 't1', content: 'yes' }] },
      { tool_results: [{ tool_use_id: 't1' }, { tool_use_id: 't2', is_error: true }] },
    ])
    expect(look().transcript.status).toBe('complete')
  })

  test('an answer is sent even while a limit rejects the stream', async () => {
    const { server, session, look } = setUp({
      runs: [pausedRun(question), resumedRun],
      faults: [{}, { refuse: { status: 429 } }],
    })
    await session.run('hello')
    const watched = session.watch()
    await session.answer('t1', 'yes')
    await watched
    expect(server.requests.map(({ path }) => path).slice(1)).toEqual([
      `/agent/${agent}/stream`,
      '/agent/tool_results',
    ])
    expect(look().transcript.status).toBe('complete')
  })

  test('answers during the request of another are sent together', async () => {
    const third = { ...other, tool_use_id: 't3' }
    const { server, session } = setUp({
      runs: [pausedRun(question, other, third), resumedRun],
      answersPerRun: 3,
    })
    await session.run('hello')
    const sent = session.answer('t1', 'yes')
    void session.answer('t2', 'a')
    void session.answer('t3', 'b')
    await sent
    expect(server.requests.slice(1).map(({ body }) => body)).toMatchObject([
      { tool_results: [{ tool_use_id: 't1' }] },
      { tool_results: [{ tool_use_id: 't1' }, { tool_use_id: 't2' }, { tool_use_id: 't3' }] },
    ])
  })

  test('an answer whose request was lost is sent again, because the server accepts the same answer twice', async () => {
    const { server, session, look } = setUp({
      runs: [pausedRun(question), resumedRun],
      faults: [{}, { lose: 'request' }, { refuse: { status: 503 } }],
    })
    await session.run('hello')
    await session.answer('t1', 'yes')
    expect(server.requests.map(({ path }) => path.split('/').pop())).toEqual([
      'run',
      'tool_results',
      'tool_results',
      'tool_results',
    ])
    expect(look().transcript.status).toBe('complete')
  })

  test('a rejected answer may be given again', async () => {
    const { session, look } = setUp({
      runs: [pausedRun(question), resumedRun],
      faults: [{}, { refuse: { status: 413 } }],
    })
    await session.run('hello')
    await expect(session.answer('t1', 'long')).rejects.toMatchObject({ code: 'bad_request' })
    expect(look().answers).toEqual({})
    await session.answer('t1', 'short')
    expect(look().transcript.status).toBe('complete')
  })
})

describe('watching', () => {
  test('a reload reads from the beginning and follows', async () => {
    const server = createScriptedServer({ runs: [answerRun] })
    const options = { url: 'http://test', session: agent, fetch: server.fetch }
    const first = createSession(options)
    await first.run('hello')
    const second = createSession(options)
    await second.watch()
    expect(second.getSnapshot().transcript).toEqual(first.getSnapshot().transcript)
    expect(server.requests[1]?.path).toBe(`/agent/${agent}/stream`)
  })

  test('an unknown session is an error', async () => {
    const { session, look } = setUp({ runs: [] })
    await expect(session.watch()).rejects.toMatchObject({ code: 'not_found' })
    expect(look().connection.state).toBe('failed')
  })
})

describe('a server that lost the conversation', () => {
  test('continues in its new log with the next prompt', async () => {
    const second = [init('more'), ...text(['More.']), end('end_turn')]
    const { server, session, look } = setUp({ runs: [answerRun, second] })
    await session.run('hello')
    server.restart()
    await session.run('more')
    const { transcript, prompt } = look()
    expect(prompt).toBeUndefined()
    expect(transcript.lastId).toBe(second.length)
    expect(transcript.agents.at(0)?.runs.length).toBe(1)
    expect(transcript.agents.at(0)?.blocks.at(0)).toMatchObject({ text: 'More.' })
  })
})

describe('a log that was replaced', () => {
  const second = [init('more'), ...text(['More.']), end('end_turn')]

  test('is identified by the first response, and is a state that keeps the transcript', async () => {
    const { server, session, look } = setUp({ runs: [answerRun, second], log: 'one' })
    await session.run('hello')
    const before = look().transcript
    server.restart('two')
    await expect(session.watch()).rejects.toMatchObject({ code: 'log_replaced' })
    expect(look().connection).toMatchObject({
      state: 'replaced',
      error: { details: { status: 410 } },
    })
    expect(look().transcript).toBe(before)
    expect(server.requests.at(-1)?.query).toBe(`?cursor=${before.lastId}&log=one`)
  })

  test('is abandoned by the next call, which starts with an empty transcript', async () => {
    const { server, session, look } = setUp({ runs: [answerRun, second], log: 'one' })
    await session.run('hello')
    server.restart('two')
    await expect(session.run('more')).rejects.toMatchObject({ code: 'log_replaced' })
    expect(look().prompt).toMatchObject({ text: 'more', state: 'unsent' })
    await session.run('more')
    const { transcript, connection } = look()
    expect(connection.state).toBe('idle')
    expect(transcript.lastId).toBe(second.length)
    expect(transcript.agents.at(0)?.blocks.at(0)).toMatchObject({ text: 'More.' })
    await session.watch()
    expect(look().transcript).toEqual(transcript)
  })
})

describe('the snapshot', () => {
  test('is one object until something changes, and changes once for each network chunk', async () => {
    const { session, look } = setUp({ runs: [answerRun], pieceBytes: () => 1e6 } as const)
    const lengths: number[] = []
    let last = look()
    session.subscribe(() => {
      expect(look()).not.toBe(last)
      expect(look()).toBe(look())
      last = look()
      lengths.push(last.transcript.lastId)
    })
    await session.run('hello')
    const changes = lengths.filter((length, index) => length !== lengths[index - 1])
    expect(changes).toEqual([0, answerRun.length])
  })

  test('frames are passed unmodified, with their id', async () => {
    const frames: Frame[] = []
    const { session } = setUp({ runs: [answerRun] }, { onFrame: (frame) => frames.push(frame) })
    await session.run('hello')
    expect(frames.map(({ data }) => data)).toEqual([...answerRun, '[DONE]'])
    expect(frames.map(({ id }) => id)).toEqual([
      ...answerRun.map((_, index) => index + 1),
      undefined,
    ])
  })

  test('a removed listener is not called', async () => {
    const { session } = setUp({ runs: [answerRun] })
    const listener = vi.fn()
    session.subscribe(listener)()
    await session.run('hello')
    expect(listener).not.toHaveBeenCalled()
  })
})

describe('closing', () => {
  test('ends an open stream and its promise', async () => {
    const { session, look } = setUp({
      runs: [answerRun],
      faults: [{ cut: { afterBytes: 600, how: 'hang' } }],
    })
    const run = session.run('hello')
    await vi.waitUntil(() => look().transcript.lastId > 0)
    session.close()
    await expect(run).rejects.toMatchObject({ code: 'connection_lost' })
    expect(look().connection.state).toBe('closed')
  })

  test('ends a delay at once, and rejects later calls', async () => {
    const { server, session, look } = setUp(
      { runs: [answerRun], faults: [{ lose: 'response' }] },
      { retryDelayMs: 1e9, maxRetryDelayMs: 1e9 },
    )
    const run = session.run('hello')
    await vi.waitUntil(() => look().connection.state === 'waiting')
    session.close()
    await expect(run).rejects.toThrow()
    await expect(session.watch()).rejects.toThrow(/closed/)
    expect(server.requests).toHaveLength(1)
  })
})
