import { Anthropic, APIError } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from 'millrace'
import { createSseDecoder } from 'millrace'
import { createEmulator, type EmulatorOptions } from './emulator.ts'

const url = 'http://emulator.test/v1/messages'
const headers = { 'x-api-key': 'any', 'anthropic-version': '2026-10-21' }
const user = (content: JsonValue) => ({ role: 'user', content })
const assistant = (...content: JsonValue[]) => ({ role: 'assistant', content })
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })
const text = (words: string) => ({ type: 'text', text: words })

function post(body: unknown, options: EmulatorOptions = {}, changes: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { ...headers, ...changes }, body: JSON.stringify(body) }
  return createEmulator({ pace: 'instant', seed: 'test', ...options }).fetch(url, init)
}

function ask(prompt: string, options: EmulatorOptions = {}, more: object = {}) {
  const body = { model: 'm', max_tokens: 9999, messages: [user(prompt)], stream: true, ...more }
  return post(body, options)
}

function eventsOf(body: string) {
  const events: { event: string | undefined; data: Record<string, unknown> }[] = []
  createSseDecoder({
    onEvent: ({ event, data }) =>
      events.push({ event, data: JSON.parse(data) as Record<string, unknown> }),
  }).feed(body)
  return events
}

test.each<[EmulatorOptions, string]>([
  [{ speed: 0 }, 'speed must be a number above 0, not 0'],
  [{ speed: Number.NaN }, 'speed must be a number above 0, not NaN'],
  [
    { pace: { tokensPerSecond: 0, firstTokenMs: 0, jitter: 0 } },
    'pace.tokensPerSecond must be a number above 0',
  ],
])('rejects %j, because it would never send anything', (options, words) => {
  expect(() => createEmulator(options)).toThrow(words)
})

test('chunks of zero bytes still end', async () => {
  const plain = await (await ask('/demo text')).text()
  const faults = [{ kind: 'chunks', bytes: 0 }] as const
  expect(await (await ask('/demo text', { faults })).text()).toBe(plain)
})

describe('stream', () => {
  test('names each event after its type, with a ping after the first block’s start', async () => {
    const response = await ask('/demo thinking')
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('request-id')).toMatch(/^req_01\w{22}$/)
    const events = eventsOf(await response.text())
    for (const { event, data } of events) expect(event).toBe(data['type'])
    const order = events.map(({ event }) => event).filter((event, at, all) => event !== all[at - 1])
    const block = ['content_block_start', 'content_block_delta', 'content_block_stop']
    const first = ['content_block_start', 'ping', 'content_block_delta', 'content_block_stop']
    const end = ['message_delta', 'message_stop']
    expect(order).toEqual(['message_start', ...first, ...block, ...end])
  })

  test('carries estimated usage: the input at the start, the output at the end', async () => {
    const events = eventsOf(await (await ask('/demo text')).text())
    const start = events[0]?.data['message'] as { id: string; usage: Record<string, number> }
    const end = events.at(-2)?.data['usage'] as Record<string, number>
    expect(start.id).toMatch(/^msg_01\w{22}$/)
    expect(start.usage['input_tokens']).toBeGreaterThan(10)
    expect(end['input_tokens']).toBe(start.usage['input_tokens'])
    expect(end['output_tokens']).toBeGreaterThan(300)
  })

  test('is the same for the same seed and sequence, and different for another seed', async () => {
    const run = async (seed: string) => {
      const emulator = createEmulator({ pace: 'instant', seed })
      const bodies: string[] = []
      for (const prompt of ['/demo tools', '/demo tools']) {
        const messages = [user(prompt)]
        const body = JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages })
        bodies.push(await (await emulator.fetch(url, { method: 'POST', headers, body })).text())
      }
      return bodies
    }
    const [first, second] = await run('a')
    expect(await run('a')).toEqual([first, second])
    expect(first).not.toEqual(second)
    expect(await run('b')).not.toEqual([first, second])
  })

  test('a reply keeps its own pace, a scenario unless the emulator is instant', async () => {
    const never = { tokensPerSecond: 1, firstTokenMs: 3_600_000, jitter: 0 }
    const reply = { blocks: [{ type: 'text' as const, text: 'flour' }] }
    const scenario = { name: 'mill', summary: 'Grinds', matches: () => true, reply: () => reply }
    const slow = { ...scenario, reply: () => ({ ...reply, pace: never }) }
    const usual = { ...scenario, pace: never }
    const quick = { tokensPerSecond: 100_000, firstTokenMs: 0, jitter: 0 }
    const fast = { ...usual, reply: () => ({ ...reply, pace: quick }) }
    const whole = async (options: EmulatorOptions): Promise<string> =>
      (await ask('go', options)).text()
    expect(await whole({ scenarios: [usual] })).toContain('message_stop')
    expect(await whole({ scenarios: [fast], pace: never })).toContain('message_stop')
    const waiting: readonly EmulatorOptions[] = [
      { scenarios: [slow] },
      { scenarios: [usual], pace: quick },
    ]
    for (const options of waiting) {
      const reader = (await ask('go', options)).body?.getReader()
      const { value } = (await reader?.read()) ?? {}
      expect(new TextDecoder().decode(value)).not.toContain('message_stop')
      await reader?.cancel()
    }
  })

  test('the pace changes neither ids nor chunks', async () => {
    const pace = { tokensPerSecond: 100_000, firstTokenMs: 1, jitter: 1 }
    const [instant, paced] = await Promise.all([ask('/demo text'), ask('/demo text', { pace })])
    expect(await paced?.text()).toBe(await instant?.text())
  })

  test('stops its timers when the body is cancelled or the request aborted', async () => {
    const pace = { tokensPerSecond: 1, firstTokenMs: 3_600_000, jitter: 0 }
    const cancelled = (await ask('/demo text', { pace })).body?.getReader()
    await cancelled?.read()
    const waiting = cancelled?.read()
    await cancelled?.cancel()
    expect(await waiting).toEqual({ done: true, value: undefined })

    const abort = new AbortController()
    const body = JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages: [user('Hi')] })
    const init = { method: 'POST', headers, body, signal: abort.signal }
    const reader = (await createEmulator({ pace }).fetch(url, init)).body?.getReader()
    await reader?.read()
    const pending = reader?.read()
    abort.abort()
    await expect(pending).rejects.toThrow('abort')
  })
})

describe('requests that the API rejects', () => {
  const base = { model: 'm', max_tokens: 99 }
  const send = async (body: object, version = '2026-10-21') =>
    (await post({ ...base, ...body }, {}, { 'anthropic-version': version })).json()

  test.each<[string, JsonValue[], string]>([
    ['no message', [], 'at least one'],
    ['an assistant first', [assistant(text('Hi'))], 'first message'],
    ['empty content', [user([])], 'messages.0.content'],
    ['empty text', [user('')], 'messages.0.content.0.text'],
    ['a role that is none', [{ role: 'robot', content: 'x' }], 'messages.0.role'],
    ['a call without a result', [user('a'), assistant(call('t1')), user('b')], 't1'],
    ['a call at the end', [user('a'), assistant(call('t1'))], 't1'],
    ['a result without a call', [user('a'), assistant(text('b')), user([result('t9')])], 't9'],
    [
      'two results for a call',
      [user('a'), assistant(call('t')), user([result('t'), result('t')])],
      'two',
    ],
    [
      'text before a result',
      [user('a'), assistant(call('t')), user([text('b'), result('t')])],
      'precede',
    ],
    [
      'two calls of one id',
      [user('a'), assistant(call('t'), call('t')), user([result('t')])],
      'same id',
    ],
    ['a prefill', [user('a'), assistant(text('b'))], 'prefill'],
    [
      'altered thinking',
      [user('a'), assistant({ type: 'thinking', thinking: 'x', signature: 'EmuLxxx' }), user('b')],
      'signature',
    ],
  ])('%s', async (_name, messages, words) => {
    const response = await post({ ...base, messages })
    expect(response.status).toBe(400)
    const body = await response.json()
    expect(body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(words) },
      request_id: response.headers.get('request-id'),
    })
  })

  test.each([
    ['model', { model: '' }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: '5' }],
    ['stream', { stream: 'yes' }],
    ['messages', { messages: 'Hi' }],
    ['tools.0.name', { tools: [{}] }],
    ['temperature', { temperature: 1 }],
  ])('an invalid %s', async (path, change) => {
    const body = await send({ messages: [user('Hi')], ...change })
    expect(body).toMatchObject({ error: { message: expect.stringContaining(`${path}:`) } })
  })

  test('the earlier version accepts sampling parameters and rejects system messages', async () => {
    const messages = [user('Hi'), { role: 'system', content: 'Be brief.' }]
    const later = await send({ messages })
    expect(later).toMatchObject({ type: 'message' })
    expect(await send({ messages: [user('Hi')], temperature: 1 }, '2023-06-01')).toMatchObject({
      type: 'message',
    })
    expect(await send({ messages }, '2023-06-01')).toMatchObject({ type: 'error' })
  })

  test('neighbours of one role count as one message', async () => {
    const messages = [user('a'), user('b'), assistant(call('t')), user([result('t')]), user('c')]
    expect(await send({ messages })).toMatchObject({ type: 'message' })
  })

  test('rejects a body that is not JSON, or too large', async () => {
    const emulator = createEmulator({ maxBodyBytes: 10 })
    const sendText = (body: string) => emulator.fetch(url, { method: 'POST', headers, body })
    expect((await sendText('{')).status).toBe(400)
    expect((await sendText('{"model": "m"}')).status).toBe(413)
  })

  test('rejects a missing key, an unknown version and an unknown path', async () => {
    const emulator = createEmulator()
    const status = async (path: string, sent: Record<string, string>, method = 'POST') => {
      const response = await emulator.fetch(`http://e.test${path}`, { method, headers: sent })
      const { error } = (await response.json()) as { error: { type: string } }
      return `${response.status} ${error.type}`
    }
    const version = { 'anthropic-version': '2023-06-01' }
    expect(await status('/v1/messages', version)).toBe('401 authentication_error')
    expect(await status('/v1/messages', { 'x-api-key': 'k' })).toBe('400 invalid_request_error')
    expect(await status('/v1/complete', headers)).toBe('404 not_found_error')
    expect(await status('/v1/messages', headers, 'GET')).toBe('404 not_found_error')
    const bearer = { authorization: 'Bearer k', ...version }
    expect(await status('/v1/messages', bearer)).toBe('400 invalid_request_error')
  })
})

describe('the official SDK', () => {
  const connect = (options: EmulatorOptions = {}) =>
    new Anthropic({
      apiKey: 'any',
      maxRetries: 0,
      fetch: createEmulator({ pace: 'instant', ...options }).fetch,
    })
  const params = (content: string) => ({
    model: 'claude-opus-5-5',
    max_tokens: 1024,
    messages: [{ role: 'user' as const, content }],
  })
  const tools = ['get_weather', 'get_time'].map((name) => ({
    name,
    input_schema: { type: 'object' as const },
  }))

  test('streams text and thinking into the message that it gets without a stream', async () => {
    const client = connect({ seed: 's' })
    for (const prompt of ['/demo text', '/demo thinking', 'Hello']) {
      const streamed = await client.messages.stream(params(prompt)).finalMessage()
      const whole = await client.messages.create(params(prompt))
      expect(streamed.content).toEqual(whole.content)
      expect(streamed.usage).toEqual(whole.usage)
      expect(streamed.stop_reason).toBe('end_turn')
    }
  })

  test('runs the tool loop: two parallel calls, then an answer with both results', async () => {
    const client = connect()
    const first = await client.messages.stream({ ...params('/demo tools'), tools }).finalMessage()
    const calls = first.content.filter((block) => block.type === 'tool_use')
    expect(first.stop_reason).toBe('tool_use')
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'get_weather', input: { city: 'Lisbon' } },
      { name: 'get_time', input: { city: 'Lisbon' } },
    ])
    const results = [
      { type: 'tool_result' as const, tool_use_id: calls[0]?.id ?? '', content: '{"sky":"clear"}' },
      { type: 'tool_result' as const, tool_use_id: calls[1]?.id ?? '', content: '14:05' },
    ]
    const { messages } = params('/demo tools')
    const next = await client.messages.create({
      ...params(''),
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ],
    })
    const answer = next.content[0]?.type === 'text' ? next.content[0].text : ''
    expect(answer).toContain('sky clear')
    expect(answer).toContain('14:05')
  })

  test('gets an error in the middle of a stream, after some text', async () => {
    const stream = connect().messages.stream(params('/demo error'))
    let seen = ''
    stream.on('text', (piece) => (seen += piece))
    const error: unknown = await stream.finalMessage().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ type: 'api_error' })
    expect(seen).toContain('in the middle of')
    await expect(connect().messages.create(params('/demo error'))).rejects.toMatchObject({
      status: 500,
    })
  })

  test('aborts', async () => {
    const pace = { tokensPerSecond: 20, firstTokenMs: 0, jitter: 0 }
    const stream = connect({ pace }).messages.stream(params('/demo text'))
    stream.on('text', () => stream.abort())
    await expect(stream.finalMessage()).rejects.toThrow('abort')
  })

  test('counts tokens', async () => {
    const { input_tokens } = await connect().messages.countTokens({
      model: 'm',
      messages: params('Hello').messages,
    })
    expect(input_tokens).toBeGreaterThan(5)
  })
})
