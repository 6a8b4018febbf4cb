import { Anthropic, APIConnectionError, APIError } from '@anthropic-ai/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createEmulator,
  demoPrompts,
  type EmulatedRequest,
  type EmulatorOptions,
  type Fault,
} from 'millrace-tools/emulator'
import type { RunningServer } from '../../src/node/listen.ts'
import { serve } from '../../src/node/serve.ts'

const servers: RunningServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** An emulator on a real socket, and a client of the official SDK for it. */
async function open(options: EmulatorOptions = {}, client: { maxRetries?: number } = {}) {
  const requests: EmulatedRequest[] = []
  const onRequest = (request: EmulatedRequest) => void requests.push(request)
  const emulator = createEmulator({ pace: 'instant', seed: 'sdk', onRequest, ...options })
  const server = await serve({ handler: emulator, port: 0, closeGraceMs: 50 })
  servers.push(server)
  const sdk = new Anthropic({ baseURL: server.url, apiKey: 'any', maxRetries: 0, ...client })
  return { sdk, requests }
}

const params = (content: string) => ({
  model: 'claude-opus-5-5',
  max_tokens: 4096,
  messages: [{ role: 'user' as const, content }],
})

const tools = [
  'get_weather',
  'get_time',
  'draw_chart',
  'write_file',
  'read_file',
  'patch_file',
  'spawn_subagent',
  'user_confirm',
].map((name) => ({ name, input_schema: { type: 'object' as const } }))

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The faults that break the stream on purpose. */
const broken = new Set(['/demo error', '/demo overloaded', '/demo cut'])

describe('the official SDK over real HTTP', () => {
  test.each(demoPrompts.map(({ prompt }) => prompt).filter((prompt) => !broken.has(prompt)))(
    '%s: accumulates from the stream the same as without streaming',
    async (prompt) => {
      const { sdk } = await open()
      const request = { ...params(prompt.replace(/\d+$/, '300')), tools }
      const streamed = await sdk.beta.messages.stream(request).finalMessage()
      const whole = await sdk.beta.messages.create(request)
      // The SDK interprets an interrupted call differently.
      const withoutInput = prompt === '/demo max-tokens'
      const contentOf = ({ content }: typeof whole) =>
        withoutInput ? content.map(({ type }) => type) : withoutIds(plain(content))
      expect(contentOf(streamed)).toEqual(contentOf(whole))
      expect(streamed.stop_reason).toBe(whole.stop_reason)
      expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens)
    },
  )

  test('runs tools to the end with its own runner', async () => {
    const { sdk, requests } = await open()
    const run = async () => '{"temperature":"21 °C","sky":"clear","time":"noon"}'
    const runnable = tools.map((tool) => ({
      ...tool,
      type: 'custom' as const,
      description: tool.name,
      run,
      parse: (input: unknown) => input,
    }))
    const answer = await sdk.beta.messages.toolRunner({
      ...params('/demo parallel-tools'),
      tools: runnable,
    })
    const [text] = answer.content
    expect(text?.type === 'text' && text.text).toContain('| Nairobi | 21 °C | clear | noon |')
    expect(requests.map(({ scenario }) => scenario)).toEqual(['parallel-tools', 'parallel-tools'])
  })

  test('keeps a conversation in a thread, and reports content without a thread', async () => {
    const { sdk, requests } = await open()
    const { model, max_tokens } = params('')
    const thread = sdk.beta.messages.thread({ model, max_tokens })
    await thread.send({ role: 'user', content: '/demo thinking' })
    await thread.send({ role: 'user', content: '/demo text' })
    expect(requests.map(({ status, scenario }) => [status, scenario])).toEqual([
      [200, 'thinking'],
      [200, 'text'],
    ])
    const other = await open()
    const lost = sdk.withOptions({ baseURL: other.sdk.baseURL }).beta.messages
    const answer = await lost
      .create({
        ...params('/demo text'),
        betas: ['message-threads-2026-10-21'],
        thread: { type: 'continue', previous_message_id: thread.previousMessageId ?? '' },
      })
      .catch((reason: unknown) => reason)
    expect(answer).toMatchObject({
      status: 404,
      error: { error: { details: { error_code: 'thread_not_found' } } },
    })
  })

  test('continues after a pause with the same message', async () => {
    const { sdk } = await open()
    const first = await sdk.messages.create(params('/demo pause-turn'))
    expect(first.stop_reason).toBe('pause_turn')
    const messages = [
      ...params('/demo pause-turn').messages,
      { role: 'assistant' as const, content: first.content },
    ]
    const next = await sdk.messages.stream({ ...params(''), messages }).finalMessage()
    const waiting = first.content.at(-1)
    const [result] = next.content
    expect(waiting?.type === 'server_tool_use' && waiting.id).toBe(
      result?.type === 'web_search_tool_result' && result.tool_use_id,
    )
    expect(next.stop_reason).toBe('end_turn')
  })

  test('may use both headers for keys and both versions', async () => {
    const { sdk } = await open()
    for (const headers of [
      { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      { authorization: 'Bearer k', 'anthropic-version': '2026-10-21' },
    ]) {
      const other = new Anthropic({
        baseURL: sdk.baseURL,
        apiKey: null,
        authToken: null,
        defaultHeaders: headers,
      })
      expect(await other.messages.create(params('Hi'))).toMatchObject({ role: 'assistant' })
    }
  })

  test('counts tokens, lists models and finds one', async () => {
    const { sdk } = await open()
    const { messages, model } = params('How long is this?')
    expect((await sdk.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(5)
    const ids: string[] = []
    for await (const { id } of sdk.models.list({ limit: 4 })) ids.push(id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('claude-sonnet-5')
    expect(await sdk.models.retrieve('claude-sonnet-5')).toMatchObject({ line: 'sonnet' })
    await expect(sdk.models.retrieve('claude-0')).rejects.toMatchObject({ status: 404 })
  })
})

describe('the official SDK with faults', () => {
  const withFault = (...faults: Fault[]) => open({ faults })

  test('429 with retry-after, then an answer', async () => {
    const faults: Fault[] = [{ kind: 'status', status: 429, retryAfterS: 0.01, times: 2 }]
    const { sdk, requests } = await open({ faults }, { maxRetries: 2 })
    const message = await sdk.messages.stream(params('/demo text')).finalMessage()
    expect(message.stop_reason).toBe('end_turn')
    expect(requests.map(({ status }) => status)).toEqual([429, 429, 200])
  })

  test.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [404, 'NotFoundError'],
    [500, 'InternalServerError'],
    [529, 'InternalServerError'],
  ])('%i is a %s with the id of the request', async (status) => {
    const { sdk, requests } = await withFault({ kind: 'status', status })
    const error: unknown = await sdk.messages
      .create(params('Hi'))
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status, requestID: requests[0]?.requestId })
  })

  test('a request that the API rejects', async () => {
    const { sdk } = await open()
    const refused = sdk.messages.create({ ...params('Hi'), max_tokens: 0 })
    await expect(refused).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' })
  })

  test('an error event after some text', async () => {
    const { sdk } = await open()
    const stream = sdk.messages.stream(params('/demo error'))
    let seen = ''
    stream.on('text', (piece) => (seen += piece))
    await expect(stream.finalMessage()).rejects.toMatchObject({ type: 'api_error' })
    expect(seen).toContain('always in the middle of')
  })

  test('a cut is a connection error, with the events before it', async () => {
    const { sdk } = await withFault({ kind: 'cut', at: { type: 'content_block_delta', nth: 20 } })
    let deltas = 0
    const read = async () => {
      const stream = await sdk.messages.create({ ...params('/demo text'), stream: true })
      for await (const event of stream) if (event.type === 'content_block_delta') deltas++
    }
    const error: unknown = await read().catch((reason: unknown) => reason)
    expect(String(error)).toMatch(/terminated|closed/i)
    expect(deltas).toBe(20)
  })

  test('a connection that is cut before its first byte is retried', async () => {
    const { sdk, requests } = await open(
      { faults: [{ kind: 'cut', at: { byte: 0 }, times: 1 }] },
      { maxRetries: 1 },
    )
    const message = await sdk.messages.stream(params('/demo text')).finalMessage()
    expect(message.stop_reason).toBe('end_turn')
    expect(requests).toHaveLength(2)
  })

  test('slow headers cause its timeout', async () => {
    const { sdk } = await withFault({ kind: 'slow_headers', waitMs: 60_000 })
    const late = sdk.messages.create(params('Hi'), { timeout: 50 })
    await expect(late).rejects.toBeInstanceOf(APIConnectionError)
  })

  test('odd framing, pings and comments change nothing', async () => {
    const plainly = await (
      await open()
    ).sdk.messages
      .stream(params('/demo citations'))
      .finalMessage()
    const faults: Fault[] = [
      { kind: 'crlf' },
      { kind: 'bom' },
      { kind: 'comments' },
      { kind: 'pings', count: 2 },
      { kind: 'chunks', bytes: 3 },
    ]
    const oddly = await (
      await withFault(...faults)
    ).sdk.messages
      .stream(params('/demo citations'))
      .finalMessage()
    expect(oddly).toEqual(plainly)
  })
})

/** Ids are generated for each request. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/(toolu_01)\w{22}/g, '$1'))
}
