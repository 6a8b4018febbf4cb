import { createRequire } from 'node:module'
import { Anthropic } from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  blockDelta,
  blockStart,
  endOf,
  messageEnd,
  messageStart,
  readEvents,
  textBlock,
  toBody,
  toolBlock,
} from '../../test/support/anthropic-events.ts'
import { checkModelEvents } from '../../test/support/check-model-events.ts'
import type { ModelEvent, ModelRequest } from '../events/index.ts'
import { anthropic, type AnthropicOptions } from './anthropic.ts'
import { streamMessage } from './message-stream.ts'

const request: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxTokens: 100,
}

const message = [messageStart(), ...textBlock(0, 'grüße ', '🌊'), ...messageEnd()]

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const out: ModelEvent[] = []
  for await (const event of events) out.push(event)
  checkModelEvents(out)
  return out
}

function run(fetch: typeof globalThis.fetch, options: AnthropicOptions = {}, signal?: AbortSignal) {
  const model = anthropic('model-1', { apiKey: 'key', maxRetries: 0, fetch, ...options })
  return model.stream(request, signal === undefined ? {} : { signal })
}

/** A body that sends `text` and stays open; tells when it is cancelled. */
function openEnded(text: string, onCancel: () => void = () => {}): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    cancel: onCancel,
  })
}

function errorResponse(status: number, error: object, headers: Record<string, string> = {}) {
  return Response.json({ type: 'error', error, request_id: 'req_1' }, { status, headers })
}

describe('request', () => {
  test('carries messages as they are, system, tools and extra parameters', async () => {
    const bodies: unknown[] = []
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return new Response(toBody(message))
    }
    const search = { type: 'web_search_20260318', name: 'web_search' } as const
    const model = anthropic('model-1', {
      apiKey: 'key',
      fetch,
      request: { thinking: { type: 'adaptive' }, tools: [search] },
    })
    const tool = { name: 'f', description: 'F', inputSchema: { properties: { a: {} } } }
    const content = [{ type: 'future_block', signature: 'x' }]
    const messages = [...request.messages, { role: 'assistant' as const, content }]
    await collect(model.stream({ messages, system: 'Be kind.', tools: [tool], maxTokens: 7 }))
    expect(bodies).toEqual([
      {
        model: 'model-1',
        max_tokens: 7,
        stream: true,
        system: 'Be kind.',
        messages,
        thinking: { type: 'adaptive' },
        tools: [
          {
            name: 'f',
            description: 'F',
            input_schema: { type: 'object', properties: { a: {} } },
          },
          search,
        ],
      },
    ])
  })
})

test('beta features are named in their header', async () => {
  const betas: unknown[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    betas.push(new Headers(init?.headers).get('anthropic-beta'))
    return new Response(toBody(message))
  }
  await collect(run(fetch, { betas: ['compact-1', 'mcp-2'] }))
  await collect(run(fetch))
  expect(betas).toEqual(['compact-1,mcp-2', null])
})

describe('body', () => {
  test('any split of its bytes gives the same events', async () => {
    const events = [messageStart(), ...textBlock(0, 'ü🌊'), ...toolBlock(1, 'f', '{"k":', '"é"}')]
    const expected = readEvents([...events, ...messageEnd()])
    const bytes = new TextEncoder().encode(toBody([...events, ...messageEnd()]))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const places = [0, ...cuts, bytes.length].sort((a, b) => a - b)
        async function* chunks() {
          for (const [position, place] of places.slice(1).entries()) {
            yield bytes.subarray(places[position], place)
          }
        }
        const options = { signal: undefined, idleTimeoutMs: 1000, maxFrameChars: 10_000 }
        expect(await collect(streamMessage(async () => chunks(), options))).toEqual(expected)
      }),
    )
  })

  test('ends at message_stop, though the socket stays open, and then lets it go', async () => {
    let cancelled = false
    const body = openEnded(toBody(message), () => (cancelled = true))
    const events = await collect(run(async () => new Response(body)))
    expect(endOf(events).outcome).toBe('finished')
    expect(cancelled).toBe(true)
  })

  test('reads on to its end after message_stop, so that the connection can be used again', async () => {
    let cancelled = false
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled++ === 0) controller.enqueue(new TextEncoder().encode(toBody(message)))
        else controller.close()
      },
      cancel: () => void (cancelled = true),
    })
    await collect(run(async () => new Response(body)))
    expect({ pulled, cancelled }).toEqual({ pulled: 2, cancelled: false })
  })

  test('an end before message_stop interrupts the message', async () => {
    const cut = toBody([
      messageStart(),
      ...textBlock(0, 'a'),
      ...messageEnd('tool_use').slice(0, 1),
    ])
    const end = endOf(await collect(run(async () => new Response(cut))))
    expect(end).toMatchObject({
      outcome: 'interrupted',
      stopReason: 'tool_use',
      content: [{ text: 'a' }],
      failure: { type: 'stream_truncated', retriable: true },
    })
  })

  test.each([null, ''])('an empty body %j interrupts the message', async (body) => {
    const events = await collect(run(async () => new Response(body)))
    expect(events).toHaveLength(1)
    expect(endOf(events).outcome).toBe('interrupted')
  })

  test('a connection that breaks interrupts the message', async () => {
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) controller.error(new Error('socket hang up'))
        else controller.enqueue(new TextEncoder().encode(toBody(message.slice(0, 3))))
        sent = true
      },
    })
    const end = endOf(await collect(run(async () => new Response(body))))
    expect(end).toMatchObject({
      outcome: 'interrupted',
      failure: { type: 'connection_lost', retriable: true },
    })
    expect(end.failure?.message).toContain('socket hang up')
  })

  test('silence interrupts the message and lets the connection go', async () => {
    let cancelled = false
    const body = openEnded(toBody(message.slice(0, 3)), () => (cancelled = true))
    const events = await collect(run(async () => new Response(body), { idleTimeoutMs: 10 }))
    expect(endOf(events)).toMatchObject({
      outcome: 'interrupted',
      failure: { type: 'idle_timeout', retriable: true },
    })
    expect(cancelled).toBe(true)
  })

  test('silence before the first byte interrupts the message, too', async () => {
    const events = await collect(
      run(async () => new Response(openEnded('')), { idleTimeoutMs: 10 }),
    )
    expect(endOf(events)).toMatchObject({
      outcome: 'interrupted',
      retry: 'request',
      failure: { type: 'idle_timeout' },
    })
  })

  test('what comes after message_stop is told and changes nothing', async () => {
    const late: unknown[] = []
    const extra = [messageStart({ id: 'msg_2' }), ...toolBlock(0, 'f', '{}'), { type: 'ping' }]
    const body = toBody([...message, ...extra])
    const onLate = ({ raw }: { raw?: unknown }) => late.push(raw)
    const events = await collect(run(async () => new Response(body), { onLate }))
    expect(events).toEqual(readEvents(message))
    expect(late).toEqual(extra.slice(0, -1))
  })

  test('pings keep a quiet stream alive', async () => {
    async function* body() {
      const encoder = new TextEncoder()
      for (const event of message) {
        yield encoder.encode(toBody([event, { type: 'ping' }]))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const options = { signal: undefined, idleTimeoutMs: 2000, maxFrameChars: 10_000 }
    const events = await collect(streamMessage(async () => body(), options))
    expect(endOf(events).outcome).toBe('finished')
  })

  test('a frame that is not JSON fails the message', async () => {
    const broken = `${toBody(message.slice(0, 2))}data: {"type":"content_blo\n\n${toBody(message.slice(2))}`
    const end = endOf(await collect(run(async () => new Response(broken))))
    expect(end).toMatchObject({ outcome: 'failed', failure: { type: 'malformed_frame' } })
  })

  test('a frame over the bound fails the message', async () => {
    const large = toBody([messageStart(), ...textBlock(0, 'x'.repeat(5000))])
    const options = { maxFrameChars: 4000 }
    const end = endOf(await collect(run(async () => new Response(large), options)))
    expect(end).toMatchObject({
      outcome: 'failed',
      failure: { type: 'frame_too_large', retriable: false },
    })
  })

  test('a frame without a type has that of its event field', async () => {
    const body = 'event: error\ndata: {"error":{"type":"overloaded_error","message":"Busy"}}\n\n'
    const end = endOf(await collect(run(async () => new Response(body))))
    expect(end.failure).toEqual({ type: 'overloaded_error', message: 'Busy', retriable: true })
  })
})

describe('abort', () => {
  test('in the middle of the body ends the message as aborted', async () => {
    let cancelled = false
    const abort = new AbortController()
    const body = openEnded(toBody(message.slice(0, 3)), () => (cancelled = true))
    const events: ModelEvent[] = []
    for await (const event of run(async () => new Response(body), {}, abort.signal)) {
      events.push(event)
      if (event.type === 'block_delta') setTimeout(() => abort.abort(), 0)
    }
    checkModelEvents(events)
    expect(endOf(events)).toMatchObject({
      outcome: 'aborted',
      content: [{ type: 'text', text: 'grüße ' }],
    })
    expect(cancelled).toBe(true)
  })

  test('before the request makes no request', async () => {
    let requests = 0
    const fetch = async () => (requests++, new Response(''))
    const events = await collect(run(fetch, {}, AbortSignal.abort()))
    expect({ requests, outcome: endOf(events).outcome }).toEqual({
      requests: 0,
      outcome: 'aborted',
    })
  })

  test('during the request ends the message as aborted', async () => {
    const abort = new AbortController()
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
        setTimeout(() => abort.abort(), 0)
      })
    expect(endOf(await collect(run(fetch, {}, abort.signal))).outcome).toBe('aborted')
  })

  test('does not wait for a client that does not heed it, and lets its late answer go', async () => {
    const abort = new AbortController()
    let isCancelled = false
    const answer = openEnded('', () => (isCancelled = true))
    let bring = (_response: Response): void => {}
    const created = new Promise<Response>((resolve) => (bring = resolve))
    const client = { messages: { create: () => ({ asResponse: () => created }) } }
    const model = anthropic('model-1', { client: client as unknown as Anthropic })
    setTimeout(() => abort.abort(), 0)
    const events = await collect(model.stream(request, { signal: abort.signal }))
    expect(endOf(events).outcome).toBe('aborted')
    bring(new Response(answer))
    await expect.poll(() => isCancelled).toBe(true)
  })

  test('a reader that stops reading stops the request', async () => {
    let cancelled = false
    const body = openEnded(toBody(message.slice(0, 3)), () => (cancelled = true))
    for await (const event of run(async () => new Response(body))) {
      if (event.type === 'block_start') break
    }
    await expect.poll(() => cancelled).toBe(true)
  })
})

describe('errors before the stream', () => {
  const failureOf = async (response: () => Response) =>
    endOf(await collect(run(async () => response()))).failure

  test('carry status, type and message, and the time to wait', async () => {
    const error = { type: 'rate_limit_error', message: 'Too fast.' }
    expect(await failureOf(() => errorResponse(429, error, { 'retry-after': '7' }))).toEqual({
      type: 'rate_limit_error',
      message: 'Too fast.',
      retriable: true,
      status: 429,
      retryAfterMs: 7000,
    })
  })

  test.each([
    [400, 'invalid_request_error', false],
    [401, 'authentication_error', false],
    [409, 'conflict_error', true],
    [413, 'request_too_large', false],
    [500, 'api_error', true],
    [529, 'overloaded_error', true],
  ])('status %i, %s: retriable %s', async (status, type, retriable) => {
    const failure = await failureOf(() => errorResponse(status, { type, message: 'm' }))
    expect(failure).toEqual({ type, message: 'm', status, retriable })
  })

  test('x-should-retry decides, whatever the status', async () => {
    const error = { type: 'api_error', message: 'm' }
    const failure = await failureOf(() => errorResponse(500, error, { 'x-should-retry': 'false' }))
    expect(failure?.retriable).toBe(false)
  })

  test('a body that is no JSON still gives a failure', async () => {
    const failure = await failureOf(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    expect(failure).toMatchObject({ type: 'http_error', status: 502, retriable: true })
  })

  test('a spend limit is neither retriable nor retried', async () => {
    let requests = 0
    const details = { error_code: 'enforced_spend_limit_reached' }
    const error = { type: 'rate_limit_error', message: 'Limit reached.', details }
    const fetch = async () => (requests++, errorResponse(429, error))
    const end = endOf(await collect(run(fetch, { maxRetries: 2 })))
    expect({ requests, failure: end.failure }).toEqual({
      requests: 1,
      failure: {
        type: 'rate_limit_error',
        message: 'Limit reached.',
        status: 429,
        retriable: false,
        details,
      },
    })
  })

  test('the id of the request is kept', async () => {
    const headers = { 'request-id': 'req_7' }
    const failure = await failureOf(() => errorResponse(400, { type: 'x', message: 'm' }, headers))
    expect(failure?.requestId).toBe('req_7')
  })

  test('what passes is retried before the stream', async () => {
    let requests = 0
    const fetch = async () =>
      requests++ === 0
        ? errorResponse(529, { type: 'overloaded_error', message: 'm' }, { 'retry-after-ms': '1' })
        : new Response(toBody(message))
    const end = endOf(await collect(run(fetch, { maxRetries: 1 })))
    expect({ requests, outcome: end.outcome }).toEqual({ requests: 2, outcome: 'finished' })
  })

  test('an unreachable API is a failure that may pass', async () => {
    const fetch = async () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))
    const end = endOf(await collect(run(fetch)))
    expect(end).toMatchObject({
      outcome: 'failed',
      failure: { type: 'connection_lost', retriable: true },
    })
    expect(end.failure?.message).toContain('ECONNREFUSED')
  })
})

describe('a client that was handed in', () => {
  // What `require` gives is another copy of the SDK than what `import` gives, with other classes.
  const { Anthropic: Other } = createRequire(import.meta.url)('@anthropic-ai/sdk') as {
    Anthropic: typeof Anthropic
  }

  const failureOf = async (fetch: typeof globalThis.fetch) => {
    const client = new Other({ apiKey: 'key', maxRetries: 0, timeout: 20, fetch })
    return endOf(await collect(anthropic('model-1', { client }).stream(request))).failure
  }

  test('is of another copy of the SDK, and its errors are understood', async () => {
    expect(Other).not.toBe(Anthropic)
    const error = { type: 'overloaded_error', message: 'Busy.' }
    const busy = await failureOf(async () => errorResponse(529, error, { 'retry-after': '2' }))
    expect(busy).toEqual({
      type: 'overloaded_error',
      message: 'Busy.',
      status: 529,
      retriable: true,
      retryAfterMs: 2000,
    })
    const lost = await failureOf(() => Promise.reject(new TypeError('fetch failed')))
    expect(lost).toMatchObject({ type: 'connection_lost', retriable: true })
    const late = await failureOf(
      (_url, init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
        }),
    )
    expect(late).toMatchObject({ type: 'timeout', retriable: true })
  })

  const streamOf = (create: () => unknown) => {
    const client = { messages: { create } } as unknown as Anthropic
    return collect(anthropic('model-1', { client }).stream(request))
  }

  async function* decoded(events: readonly unknown[], error?: Error) {
    yield* events
    if (error !== undefined) throw error
  }

  test('may give events instead of a response, as wrapped clients do', async () => {
    expect(await streamOf(async () => decoded(message))).toEqual(readEvents(message))
    const busy = { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }
    const error = Object.assign(new Error('thrown'), { error: busy })
    const events = await streamOf(async () => decoded(message.slice(0, 3), error))
    expect(events).toEqual(readEvents([...message.slice(0, 3), busy]))
    const lost = await streamOf(async () => decoded(message.slice(0, 3), new Error('gone')))
    expect(endOf(lost)).toMatchObject({
      outcome: 'interrupted',
      failure: { type: 'connection_lost' },
    })
  })

  test('decodes a framing of its own itself', async () => {
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
    const create = () =>
      Object.assign(Promise.resolve(decoded(message)), {
        asResponse: async () => new Response(new Uint8Array([0, 0, 0, 1]), { headers }),
      })
    expect(await streamOf(create)).toEqual(readEvents(message))
  })

  test('fails in its own way, which is told and not tried again', async () => {
    const client = {
      messages: {
        create: () => {
          throw new Error('no credentials')
        },
      },
    } as unknown as Anthropic
    const events = await collect(anthropic('model-1', { client }).stream(request))
    expect(endOf(events).failure).toEqual({
      type: 'request_failed',
      message: 'no credentials',
      retriable: false,
    })
  })
})

test('deltas of a cut block were shown and nothing else of it remains', async () => {
  const start = blockStart(0, { type: 'tool_use', id: 't', name: 'f', input: {} })
  const delta = blockDelta(0, 'input_json_delta', { partial_json: '{"n": 12' })
  const body = toBody([messageStart(), start, delta])
  const events = await collect(run(async () => new Response(body)))
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    'block_start',
    'block_delta',
    'message_end',
  ])
  expect(endOf(events).content).toEqual([])
})
