import { OpenAI } from 'openai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf, noticesOf } from '../../../test/support/models/anthropic-events.ts'
import {
  calls,
  delta,
  finish,
  text,
  toBody,
  usage,
} from '../../../test/support/models/chat-chunks.ts'
import { checkModelEvents } from '../../../test/support/models/check-model-events.ts'
import { type ModelEvent, type ModelRequest, toShownFailure } from '../../events/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import { openai, type OpenAIOptions } from './openai.ts'

const baseURL = 'http://chat.test/v1'

const request: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  tools: [
    {
      name: 'f',
      description: 'Does f.',
      inputSchema: { $schema: 'https://json-schema.org/draft', type: 'object', properties: {} },
    },
  ],
  maxTokens: 100,
}

const chunks = [
  delta({ role: 'assistant', content: '' }),
  delta({ reasoning: 'Hm — ' }),
  delta({ reasoning: 'grüße' }),
  text('Wäs'),
  text('ser 🌊'),
  calls({ index: 0, id: 'c1', function: { name: 'f', arguments: '' } }),
  calls({ index: 0, function: { arguments: '{"city":"Zü' } }),
  calls({ index: 0, function: { arguments: 'rich"}' } }),
  finish('tool_calls'),
  usage({ prompt_tokens: 3, completion_tokens: 4 }),
]

interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: JsonObject
}

/** A server that sends the given responses in order and repeats the last. */
function serve(...answers: (() => Response)[]) {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const asked = new Request(input, init)
    const body = JSON.parse(await asked.text()) as JsonObject
    sent.push({ url: asked.url, headers: asked.headers, body })
    const answer = answers[Math.min(sent.length, answers.length) - 1]
    return answer === undefined ? Response.error() : answer()
  }
  return { fetch, sent }
}

const sse = { headers: { 'content-type': 'text/event-stream' } }
const stream = (body: BodyInit) => () => new Response(body, sse)
const json =
  (value: JsonValue, init: ResponseInit = {}) =>
  () =>
    Response.json(value, init)

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const out: ModelEvent[] = []
  for await (const event of events) out.push(event)
  checkModelEvents(out)
  return out
}

function ask(answer: () => Response, options: OpenAIOptions = {}, signal?: AbortSignal) {
  const { fetch } = serve(answer)
  const model = openai('model-1', { baseURL, maxRetries: 0, fetch, ...options })
  return collect(model.stream(request, signal === undefined ? {} : { signal }))
}

async function failureOf(answer: () => Response, options: OpenAIOptions = {}) {
  const end = endOf(await ask(answer, options))
  expect(end.outcome).toBe('failed')
  return end.failure && toShownFailure(end.failure)
}

describe('the request', () => {
  test('asks for a stream with usage, offers the tools and needs no key for a custom server', async () => {
    const { fetch, sent } = serve(stream(toBody(chunks)))
    const model = openai('model-1', { baseURL, fetch, headers: { 'x-title': 'mill' } })
    expect(model.id).toBe('model-1')
    await collect(model.stream({ ...request, system: 'Be brief.' }))
    expect(sent[0]?.url).toBe('http://chat.test/v1/chat/completions')
    expect(sent[0]?.headers.get('x-title')).toBe('mill')
    expect(sent[0]?.body).toEqual({
      model: 'model-1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            description: 'Does f.',
            parameters: { type: 'object', properties: {} },
          },
        },
      ],
      max_tokens: 100,
      stream_options: { include_usage: true },
      stream: true,
    })
  })

  test('has extra fields and tools, and omits null fields', async () => {
    const { fetch, sent } = serve(stream(toBody(chunks)))
    const more = { type: 'web_search' }
    const extra = { temperature: 0, stream_options: null, tools: [more] }
    await collect(openai('m', { baseURL, fetch, request: extra }).stream(request))
    expect(sent[0]?.body).toMatchObject({ temperature: 0, tools: [{ type: 'function' }, more] })
    expect(sent[0]?.body).not.toHaveProperty('stream_options')
  })

  test.each([
    ['https://api.openai.com/v1', 'max_completion_tokens'],
    ['https://mill.openai.azure.com/openai/v1', 'max_completion_tokens'],
    ['https://api.openai.com.mill.example/v1', 'max_tokens'],
    ['http://127.0.0.1:11434/v1', 'max_tokens'],
  ])('limits %s by %s', async (address, field) => {
    const { fetch, sent } = serve(stream(toBody(chunks)))
    await collect(openai('m', { baseURL: address, apiKey: 'k', fetch }).stream(request))
    expect(sent[0]?.body[field]).toBe(100)
  })

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ tool: 'f' }, { type: 'function', function: { name: 'f' } }],
  ] as const)('has the tool choice %j instead of an extra one', async (toolChoice, expected) => {
    const { sent, fetch } = serve(stream(toBody(chunks)))
    const model = openai('m', { baseURL, fetch, request: { tool_choice: 'required' } })
    await collect(model.stream({ ...request, toolChoice }))
    expect(sent[0]?.body['tool_choice']).toEqual(expected)
  })

  test('uses a custom client', async () => {
    const { fetch, sent } = serve(stream(toBody(chunks)))
    const client = new OpenAI({ apiKey: 'secret', baseURL, fetch })
    const options = { client, maxTokensField: 'max_completion_tokens' } as const
    const events = await collect(openai('m', options).stream(request))
    expect(endOf(events).outcome).toBe('finished')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer secret')
    expect(sent[0]?.body['max_completion_tokens']).toBe(100)
  })

  test('reports omitted blocks', async () => {
    const { fetch } = serve(stream(toBody(chunks)))
    const block = { type: 'container_upload', file_id: 'x' }
    const messages = [{ role: 'user', content: [...request.messages[0]!.content, block] }] as const
    const events = await collect(openai('m', { baseURL, fetch }).stream({ ...request, messages }))
    expect(noticesOf(events)).toEqual([expect.stringContaining('container_upload')])
  })
})

describe('the answer', () => {
  const expected = [
    { type: 'thinking', thinking: 'Hm — grüße', openai: { field: 'reasoning' } },
    { type: 'text', text: 'Wässer 🌊' },
    { type: 'tool_use', id: 'c1', name: 'f', input: { city: 'Zürich' } },
  ]

  test('is the same for any chunks', async () => {
    const bytes = new TextEncoder().encode(toBody(chunks))
    const whole = await ask(stream(bytes))
    expect(endOf(whole)).toMatchObject({ outcome: 'finished', content: expected })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        expect(await ask(stream(pieces(bytes, cuts)))).toEqual(whole)
      }),
      { numRuns: 50 },
    )
    expect(await ask(stream(pieces(bytes, [...bytes.keys()])))).toEqual(whole)
  })

  test('at any cut has one end and runs no call before its finish_reason', async () => {
    const body = toBody(chunks)
    const bytes = new TextEncoder().encode(body)
    const at = (words: string) =>
      new TextEncoder().encode(body.slice(0, body.indexOf(words))).length
    const finished = at('"finish_reason":"tool_calls"')
    for (let cut = 0; cut < bytes.length; cut += 7) {
      const end = endOf(await ask(stream(bytes.subarray(0, cut))))
      const isComplete = end.outcome === 'finished'
      if (!isComplete) expect(end.outcome).toBe('interrupted')
      if (cut <= finished) expect(isComplete).toBe(false)
      const hasCall = end.content.some(({ type }) => type === 'tool_use')
      expect(hasCall).toBe(isComplete)
    }
  })

  test('may have comments, CRLF, a BOM, and no [DONE]', async () => {
    const body = `\ufeff: OPENROUTER PROCESSING\n\n${toBody(chunks, '')}: OPENROUTER PROCESSING\n\n`
    const events = await ask(stream(body.replaceAll('\n', '\r\n')))
    expect(endOf(events)).toMatchObject({ outcome: 'finished', content: expected })
  })

  test('may be one JSON object, requested or not', async () => {
    const message = { role: 'assistant', content: 'Whole\nand here', reasoning_content: 'Hm' }
    const completion = {
      id: 'x',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    }
    const { fetch, sent } = serve(
      () =>
        new Response(JSON.stringify(completion, null, 2), {
          headers: { 'content-type': 'application/json; charset=utf-8' },
        }),
    )
    const model = openai('m', { baseURL, fetch, isStreamed: false })
    const events = await collect(model.stream(request))
    expect(endOf(events)).toMatchObject({
      outcome: 'finished',
      content: [{ type: 'thinking' }, { type: 'text', text: 'Whole\nand here' }],
      usage: { input_tokens: 1, output_tokens: 2 },
    })
    expect(sent[0]?.body).toMatchObject({ stream: false })
    expect(sent[0]?.body).not.toHaveProperty('stream_options')
    const tooLong = await ask(json({ ...completion, more: 'x'.repeat(2000) }), {
      maxFrameChars: 1000,
    })
    expect(endOf(tooLong).failure?.type).toBe('frame_too_large')
  })

  test('fails at a frame that is not JSON, and quotes it', async () => {
    expect(await failureOf(stream('data: {"id":\n\n'))).toMatchObject({
      type: 'malformed_frame',
      message: expect.stringContaining('{\\"id\\":'),
    })
  })

  test('fails at an event named error with any data', async () => {
    expect(await failureOf(stream('event: error\ndata: upstream gone\n\n'))).toMatchObject({
      message: 'upstream gone',
    })
    expect(
      await failureOf(stream('event: error\ndata: {"code":503,"message":"No room"}\n\n')),
    ).toMatchObject({ status: 503, message: 'No room', retriable: true })
  })

  test('without data is interrupted; after its finish_reason it is complete', async () => {
    const idleTimeoutMs = 20
    expect(endOf(await ask(stream(open([text('a')])), { idleTimeoutMs }))).toMatchObject({
      outcome: 'interrupted',
      failure: { type: 'idle_timeout' },
      content: [{ type: 'text', text: 'a' }],
    })
    const whole = await ask(stream(open([text('a'), finish()])), { idleTimeoutMs })
    expect(endOf(whole).outcome).toBe('finished')
  })

  test('stops at an abort, also before it starts', async () => {
    const abort = new AbortController()
    const { fetch } = serve(stream(open([text('a')])))
    const events: ModelEvent[] = []
    for await (const event of openai('m', { baseURL, fetch }).stream(request, abort)) {
      events.push(event)
      if (event.type === 'block_delta') abort.abort()
    }
    checkModelEvents(events)
    expect(endOf(events).outcome).toBe('aborted')
    const late = await ask(stream(toBody(chunks)), {}, AbortSignal.abort())
    expect(endOf(late)).toMatchObject({ outcome: 'aborted', retry: 'none' })
  })
})

describe('a model without native calls', () => {
  test('has the tools in its prompt, and its calls are found in its text', async () => {
    const answer = 'Look: <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
    const { fetch, sent } = serve(
      stream(toBody([text(answer.slice(0, 20)), text(answer.slice(20)), finish()])),
    )
    const model = openai('qwen2.5', { baseURL, fetch, segments: true, createId: () => 'made' })
    const end = endOf(await collect(model.stream({ ...request, system: 'Be brief.' })))
    expect(end).toMatchObject({
      stopReason: 'tool_calls',
      content: [
        { type: 'text', text: 'Look: ' },
        { type: 'tool_use', id: 'made', name: 'f', input: { a: 1 } },
      ],
    })
    expect(sent[0]?.body).not.toHaveProperty('tools')
    const next: ModelRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: end.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'made', content: 'two' }] },
      ],
    }
    await collect(model.stream(next))
    expect(sent[1]?.body['messages']).toEqual([
      { role: 'system', content: expect.stringContaining('# Tools') },
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Look: \n<tool_call>\n{"name":"f","arguments":{"a":1}}\n</tool_call>',
      },
      {
        role: 'user',
        content: '<tool_response>\n{"name":"f","content":"two"}\n</tool_response>',
      },
    ])
  })

  test('may have a configured notation and formats, or any', async () => {
    const answer = stream(toBody([text('[TOOL_CALLS]f[ARGS]{}'), finish()]))
    const formats = ['mistral'] as const
    const events = await ask(answer, { segments: { formats } })
    expect(endOf(events).content).toMatchObject([{ type: 'tool_use', name: 'f' }])
    const { fetch, sent } = serve(answer)
    await collect(openai('m', { baseURL, fetch, segments: { formats } }).stream(request))
    expect(JSON.stringify(sent[0]?.body)).toContain('[TOOL_CALLS]')
  })
})

describe('a rejected request', () => {
  const error = { message: 'No', type: 'invalid_request_error', param: null, code: 'bad' }

  test.each<[string, () => Response, object]>([
    [
      'as OpenAI says it',
      json({ error }, { status: 400 }),
      { type: 'invalid_request_error', message: 'No', retriable: false, status: 400 },
    ],
    [
      'as Gemini says it, in a list',
      json([{ error: { code: 400, message: 'Bad schema', status: 'INVALID_ARGUMENT' } }], {
        status: 400,
      }),
      { type: 'INVALID_ARGUMENT', message: 'Bad schema', retriable: false },
    ],
    [
      'as FastAPI says it',
      json({ detail: [{ msg: 'missing' }] }, { status: 422 }),
      { message: '[{"msg":"missing"}]', status: 422 },
    ],
    [
      'in plain words',
      json({ error: 'model not found' }, { status: 404 }),
      { status: 404, message: 'model not found' },
    ],
    [
      'with a bare message',
      json({ message: 'no key', code: 401 }, { status: 401 }),
      { message: 'no key' },
    ],
    [
      'with a page of HTML',
      () =>
        new Response('<html><head><title>502 Bad Gateway</title></head></html>', { status: 502 }),
      {
        type: 'http_error',
        message: expect.stringMatching(/page of HTML.*“502 Bad Gateway”/),
        retriable: true,
        status: 502,
      },
    ],
    ['with no body', () => new Response(null, { status: 503 }), { status: 503, retriable: true }],
    [
      'for a rate limit, with when to come back',
      json(
        { error: { message: 'Slow', code: 'rate_limit_exceeded' } },
        {
          status: 429,
          headers: { 'retry-after': '7' },
        },
      ),
      { status: 429, retriable: true, retryAfterMs: 7000 },
    ],
  ])('%s', async (_name, answer, expected) => {
    expect(await failureOf(answer)).toMatchObject(expected)
  })

  test('is retried by the SDK, except for an exhausted quota', async () => {
    const slow = json({ error }, { status: 429, headers: { 'retry-after-ms': '1' } })
    const passing = serve(slow, stream(toBody(chunks)))
    const model = openai('m', { baseURL, fetch: passing.fetch, maxRetries: 2 })
    expect(endOf(await collect(model.stream(request))).outcome).toBe('finished')
    expect(passing.sent).toHaveLength(2)

    const spent = serve(json({ error: { code: 'insufficient_quota' } }, { status: 429 }))
    const poor = openai('m', { baseURL, fetch: spent.fetch, maxRetries: 2 })
    const end = endOf(await collect(poor.stream(request)))
    expect(end.failure).toMatchObject({ type: 'insufficient_quota', retriable: false })
    expect(spent.sent).toHaveLength(1)
  })

  test('with an HTML page and status 200 reports a wrong address', async () => {
    const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
    expect(await failureOf(page)).toMatchObject({
      type: 'model_failed',
      message: expect.stringContaining('baseURL'),
      retriable: false,
    })
  })

  test('with an error and status 200 fails with it', async () => {
    expect(await failureOf(json({ error: { message: 'Down', code: 502 } }))).toMatchObject({
      message: 'Down',
      status: 502,
      retriable: true,
    })
  })

  test('fails without a key, and without a server', async () => {
    const saved = process.env['OPENAI_API_KEY']
    delete process.env['OPENAI_API_KEY']
    try {
      const end = endOf(await collect(openai('m').stream(request)))
      expect(end.failure).toMatchObject({
        type: 'authentication_error',
        message: expect.stringContaining('OPENAI_API_KEY'),
      })
    } finally {
      if (saved !== undefined) process.env['OPENAI_API_KEY'] = saved
    }
    const away = await ask(() => Response.error(), {
      fetch: () => Promise.reject(new Error('ECONNREFUSED')),
    })
    expect(endOf(away).failure).toMatchObject({ type: 'connection_lost', retriable: true })
  })
})

function pieces(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])]
  places.sort((a, b) => a - b)
  return new ReadableStream({
    start(controller) {
      for (const [index, end] of places.slice(1).entries()) {
        controller.enqueue(bytes.slice(places[index], end))
      }
      controller.close()
    },
  })
}

/** A body that sends some chunks and then stays open. */
function open(answer: readonly JsonObject[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(toBody(answer, '')))
    },
  })
}
