import { APIError, OpenAI } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from 'millrace'
import { createEmulator, type Scenario } from '../index.ts'
import type { EmulatorOptions } from '../emulator.ts'

const baseURL = 'http://emulator.test/v1'

const tools: ChatCompletionTool[] = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}))

function connect(options: EmulatorOptions = {}, maxRetries = 0): OpenAI {
  const { fetch } = createEmulator({ pace: 'instant', seed: 'test', ...options })
  return new OpenAI({ apiKey: 'any', baseURL, fetch, maxRetries })
}

const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content })

function ask(prompt: string, more: JsonObject = {}) {
  return { model: 'emulator', messages: [user(prompt)], tools, ...more }
}

function script(reply: ReturnType<Scenario['reply']>): EmulatorOptions {
  return { scenarios: [{ name: 'script', summary: '', matches: () => true, reply: () => reply }] }
}

async function post(
  body: unknown,
  headers: Record<string, string> = { authorization: 'Bearer k' },
) {
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const { fetch } = createEmulator({ pace: 'instant', seed: 'test' })
  return fetch(`${baseURL}/chat/completions`, init)
}

describe('the official client', () => {
  test('accumulates a stream to the scripted message, usage included', async () => {
    const reply = {
      blocks: [
        { type: 'thinking', thinking: 'Both at once.' },
        { type: 'text', text: 'Let me look — 🌊' },
        { type: 'tool_use', name: 'get_weather', input: { city: 'Zürich' } },
        { type: 'tool_use', name: 'get_time', input: {} },
      ],
    } as const
    const stream = connect(script(reply)).chat.completions.stream({
      ...ask('go'),
      stream_options: { include_usage: true },
    })
    const { choices, usage } = await stream.finalChatCompletion()
    const [choice] = choices
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(choice?.message.content).toBe('Let me look — 🌊')
    expect(
      choice?.message.tool_calls?.map((call) => call.type === 'function' && call.function),
    ).toMatchObject([
      { name: 'get_weather', arguments: '{"city":"Zürich"}' },
      { name: 'get_time', arguments: '{}' },
    ])
    for (const { id } of choice?.message.tool_calls ?? []) expect(id).toMatch(/^call_/)
    expect(usage?.prompt_tokens).toBeGreaterThan(10)
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0)
  })

  test('gets the same message without a stream', async () => {
    const streamed = await connect()
      .chat.completions.stream(ask('/demo text'))
      .finalChatCompletion()
    const whole = await connect().chat.completions.create(ask('/demo text'))
    expect(whole.choices[0]?.message.content).toBe(streamed.choices[0]?.message.content)
    expect(whole.choices[0]?.finish_reason).toBe('stop')
    expect(whole).toMatchObject({
      object: 'chat.completion',
      usage: { prompt_tokens: expect.any(Number) },
    })
  })

  test('has usage in a stream only on request', async () => {
    const usages: unknown[] = []
    const stream = await connect().chat.completions.create({ ...ask('Hi'), stream: true })
    for await (const { usage } of stream) usages.push(usage)
    expect(new Set(usages)).toEqual(new Set([undefined]))
  })

  test.each([true, false])('runs tools to the end (stream: %s)', async (stream) => {
    const client = connect()
    const messages = [user('/demo tools Oslo')]
    const turn = async () => {
      const { completions } = client.chat
      const params = { model: 'm', tools, messages }
      const { choices } = stream
        ? await completions.stream(params).finalChatCompletion()
        : await completions.create(params)
      return choices[0]
    }
    const first = await turn()
    expect(first?.finish_reason).toBe('tool_calls')
    messages.push({ role: 'assistant', tool_calls: first?.message.tool_calls ?? [] })
    for (const { id } of first?.message.tool_calls ?? []) {
      messages.push({ role: 'tool', tool_call_id: id, content: 'Error: fog' })
    }
    const last = await turn()
    expect(last?.finish_reason).toBe('stop')
    expect(last?.message.content).toContain('the tool failed with “fog”')
  })

  test('lists models', async () => {
    const ids = []
    for await (const { id } of await connect().models.list()) ids.push(id)
    expect(ids).toContain('emulator')
  })

  test('retries temporary errors, and reports permanent ones', async () => {
    const status = { kind: 'status', status: 429, retryAfterS: 0, times: 1 } as const
    const client = connect({ faults: [status] }, 1)
    const { choices } = await client.chat.completions.create(ask('Hi'))
    expect(choices[0]?.finish_reason).toBe('stop')

    const failing = connect({ faults: [{ kind: 'status', status: 500 }] })
    const error = await failing.chat.completions
      .create(ask('Hi'))
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status: 500, type: 'server_error' })
  })

  test('gets an error in the middle of a stream, and a broken connection', async () => {
    const read = async (prompt: string, options: EmulatorOptions = {}) => {
      let text = ''
      const stream = await connect(options).chat.completions.create({
        ...ask(prompt),
        stream: true,
      })
      try {
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
        return { text }
      } catch (error) {
        return { text, error }
      }
    }
    const failed = await read('/demo error')
    expect(failed.text).toMatch(/\S/)
    expect(failed.error).toMatchObject({ type: 'server_error' })
    const cut = await read('/demo text', { faults: [{ kind: 'cut', at: { byte: 900 } }] })
    expect(cut.error).toBeInstanceOf(Error)
  })
})

describe('the wire', () => {
  test('has unnamed chunks of one id, the role first, the finish reason last, then [DONE]', async () => {
    const response = await post({ ...ask('/demo thinking'), stream: true })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    const body = await response.text()
    expect(body).not.toContain('event:')
    const lines = body.split('\n\n').filter((frame) => frame !== '')
    expect(lines.at(-1)).toBe('data: [DONE]')
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)))
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks[0].id).toMatch(/^chatcmpl-/)
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
    expect(chunks[1].choices[0].delta).toHaveProperty('reasoning_content')
    expect(chunks.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
  })

  test.each([
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'stop'],
    ['from_the_future', 'from_the_future'],
  ])('ends a script with %s as %s', async (stopReason, reason) => {
    const reply = { blocks: [{ type: 'text', text: 'a' }], stopReason } as const
    const { choices } = await connect(script(reply)).chat.completions.create(ask('go'))
    expect(choices[0]?.finish_reason).toBe(reason)
  })

  test('obeys limits and stop sequences', async () => {
    const reply = { blocks: [{ type: 'text', text: 'one two three four five' }] } as const
    const { completions } = connect(script(reply)).chat
    const short = await completions.create({ ...ask('go'), max_completion_tokens: 2 })
    expect(short.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'one two ' },
    })
    const stopped = await completions.create({ ...ask('go'), stop: ' three' })
    expect(stopped.choices[0]?.message.content).toBe('one two')
  })

  test('is the same for the same seed', async () => {
    const bodies = [1, 2].map(async () =>
      (await post({ ...ask('/demo tools'), stream: true })).text(),
    )
    const [first, second] = await Promise.all(bodies)
    expect(first?.replaceAll(/"created":\d+/g, '')).toBe(second?.replaceAll(/"created":\d+/g, ''))
  })
})

describe('requests that the API rejects', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
  const calling = { role: 'assistant', tool_calls: [call] }

  test.each<[string, JsonObject, string | null]>([
    ['no model', { model: '' }, 'model'],
    ['no message', { messages: [] }, 'messages'],
    ['a role that is none', { messages: [{ role: 'robot', content: 'x' }] }, 'messages.0.role'],
    ['a result without a call', { messages: [user('a') as never, result] }, 'messages.1'],
    ['a call without a result', { messages: [calling, user('a') as never] }, 'messages.1'],
    ['a call at the end', { messages: [calling] }, 'messages.0'],
    ['two results', { messages: [calling, result, result] }, 'messages.2'],
    [
      'arguments that are no text',
      {
        messages: [
          { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] },
        ],
      },
      'messages.0.tool_calls.0.function.arguments',
    ],
    [
      'a tool without a name',
      { tools: [{ type: 'function', function: {} }] },
      'tools.0.function.name',
    ],
    ['two limits', { max_tokens: 1, max_completion_tokens: 1 }, 'max_tokens'],
    ['a limit of nothing', { max_tokens: 0 }, 'max_tokens'],
    ['usage without a stream', { stream_options: { include_usage: true } }, 'stream_options'],
    ['too much heat', { temperature: 3 }, 'temperature'],
  ])('%s', async (_name, change, param) => {
    const response = await post({ ...ask('Hi'), ...change })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code: null },
    })
  })

  test('rejects a missing key', async () => {
    const response = await post(ask('Hi'), {})
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } })
  })

  test('accepts other fields, and reports them as notices', async () => {
    const received: (readonly string[])[] = []
    const { fetch } = createEmulator({
      pace: 'instant',
      onRequest: ({ notices }) => received.push(notices),
    })
    const client = new OpenAI({ apiKey: 'any', baseURL, fetch })
    await client.chat.completions.create({ ...ask('Hi'), seed: 1 })
    expect(received).toEqual([['field seed changes nothing']])
  })
})
