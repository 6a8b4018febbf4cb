import type { Anthropic } from '@anthropic-ai/sdk'
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
} from '../../../test/support/models/anthropic-events.ts'
import { checkModelEvents } from '../../../test/support/models/check-model-events.ts'
import {
  ask,
  collect,
  message,
  openEnded,
  request,
} from '../../../test/support/models/anthropic-requests.ts'
import type { ModelEvent } from '../../events/index.ts'
import { anthropic } from './anthropic.ts'
import { streamAnthropicMessage } from './reader/message-stream.ts'

describe('the request', () => {
  test('has unchanged messages, the system prompt, tools and extra parameters', async () => {
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

test('beta features are sent in their header', async () => {
  const betas: unknown[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    betas.push(new Headers(init?.headers).get('anthropic-beta'))
    return new Response(toBody(message))
  }
  await collect(ask(fetch, { betas: ['compact-1', 'mcp-2'] }))
  await collect(ask(fetch))
  expect(betas).toEqual(['compact-1,mcp-2', null])
})

describe('the body', () => {
  test('gives the same events for any chunks', async () => {
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
        expect(await collect(streamAnthropicMessage(async () => chunks(), options))).toEqual(
          expected,
        )
      }),
    )
  })

  test('ends at message_stop and closes an open socket', async () => {
    let cancelled = false
    const body = openEnded(toBody(message), () => (cancelled = true))
    const events = await collect(ask(async () => new Response(body)))
    expect(endOf(events).outcome).toBe('finished')
    expect(cancelled).toBe(true)
  })

  test('is read to its end after message_stop, so that the connection can be reused', async () => {
    let cancelled = false
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled++ === 0) controller.enqueue(new TextEncoder().encode(toBody(message)))
        else controller.close()
      },
      cancel: () => void (cancelled = true),
    })
    await collect(ask(async () => new Response(body)))
    expect({ pulled, cancelled }).toEqual({ pulled: 2, cancelled: false })
  })

  test('that ends before message_stop interrupts the message', async () => {
    const cut = toBody([
      messageStart(),
      ...textBlock(0, 'a'),
      ...messageEnd('tool_use').slice(0, 1),
    ])
    const end = endOf(await collect(ask(async () => new Response(cut))))
    expect(end).toMatchObject({
      outcome: 'interrupted',
      stopReason: 'tool_use',
      content: [{ text: 'a' }],
      failure: { type: 'stream_truncated', retriable: true },
    })
  })

  test.each([null, ''])('an empty body %j interrupts the message', async (body) => {
    const events = await collect(ask(async () => new Response(body)))
    expect(events).toHaveLength(1)
    expect(endOf(events).outcome).toBe('interrupted')
  })

  test('that breaks interrupts the message', async () => {
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) controller.error(new Error('socket hang up'))
        else controller.enqueue(new TextEncoder().encode(toBody(message.slice(0, 3))))
        sent = true
      },
    })
    const end = endOf(await collect(ask(async () => new Response(body))))
    expect(end).toMatchObject({
      outcome: 'interrupted',
      failure: { type: 'connection_lost', retriable: true },
    })
    expect(end.failure?.message).toContain('socket hang up')
  })

  test('without data interrupts the message and closes the connection', async () => {
    let cancelled = false
    const body = openEnded(toBody(message.slice(0, 3)), () => (cancelled = true))
    const events = await collect(ask(async () => new Response(body), { idleTimeoutMs: 10 }))
    expect(endOf(events)).toMatchObject({
      outcome: 'interrupted',
      failure: { type: 'idle_timeout', retriable: true },
    })
    expect(cancelled).toBe(true)
  })

  test('without a first byte interrupts the message', async () => {
    const events = await collect(
      ask(async () => new Response(openEnded('')), { idleTimeoutMs: 10 }),
    )
    expect(endOf(events)).toMatchObject({
      outcome: 'interrupted',
      retry: 'request',
      failure: { type: 'idle_timeout' },
    })
  })

  test('with data after message_stop reports a notice without other effects', async () => {
    const late: unknown[] = []
    const extra = [messageStart({ id: 'msg_2' }), ...toolBlock(0, 'f', '{}'), { type: 'ping' }]
    const body = toBody([...message, ...extra])
    const onLate = ({ raw }: { raw?: unknown }) => late.push(raw)
    const events = await collect(ask(async () => new Response(body), { onLate }))
    expect(events).toEqual(readEvents(message))
    expect(late).toEqual(extra.slice(0, -1))
  })

  test('with pings does not time out', async () => {
    async function* body() {
      const encoder = new TextEncoder()
      for (const event of message) {
        yield encoder.encode(toBody([event, { type: 'ping' }]))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const options = { signal: undefined, idleTimeoutMs: 2000, maxFrameChars: 10_000 }
    const events = await collect(streamAnthropicMessage(async () => body(), options))
    expect(endOf(events).outcome).toBe('finished')
  })

  test('with a frame that is not JSON fails the message', async () => {
    const broken = `${toBody(message.slice(0, 2))}data: {"type":"content_blo\n\n${toBody(message.slice(2))}`
    const end = endOf(await collect(ask(async () => new Response(broken))))
    expect(end).toMatchObject({ outcome: 'failed', failure: { type: 'malformed_frame' } })
  })

  test('with a frame over the limit fails the message', async () => {
    const large = toBody([messageStart(), ...textBlock(0, 'x'.repeat(5000))])
    const options = { maxFrameChars: 4000 }
    const end = endOf(await collect(ask(async () => new Response(large), options)))
    expect(end).toMatchObject({
      outcome: 'failed',
      failure: { type: 'frame_too_large', retriable: false },
    })
  })

  test('with a frame without a type uses the event field', async () => {
    const body = 'event: error\ndata: {"error":{"type":"overloaded_error","message":"Busy"}}\n\n'
    const end = endOf(await collect(ask(async () => new Response(body))))
    expect(end.failure).toEqual({ type: 'overloaded_error', message: 'Busy', retriable: true })
  })
})

describe('an abort', () => {
  test('during the body ends the message as aborted', async () => {
    let cancelled = false
    const abort = new AbortController()
    const body = openEnded(toBody(message.slice(0, 3)), () => (cancelled = true))
    const events: ModelEvent[] = []
    for await (const event of ask(async () => new Response(body), {}, abort.signal)) {
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

  test('before the request sends no request', async () => {
    let requests = 0
    const fetch = async () => (requests++, new Response(''))
    const events = await collect(ask(fetch, {}, AbortSignal.abort()))
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
    expect(endOf(await collect(ask(fetch, {}, abort.signal))).outcome).toBe('aborted')
  })

  test('does not wait for a client that ignores it, and cancels its late response', async () => {
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

  test('a consumer that stops reading cancels the request', async () => {
    let cancelled = false
    const body = openEnded(toBody(message.slice(0, 3)), () => (cancelled = true))
    for await (const event of ask(async () => new Response(body))) {
      if (event.type === 'block_start') break
    }
    await expect.poll(() => cancelled).toBe(true)
  })
})

test('keeps nothing of an interrupted block except its emitted deltas', async () => {
  const start = blockStart(0, { type: 'tool_use', id: 't', name: 'f', input: {} })
  const delta = blockDelta(0, 'input_json_delta', { partial_json: '{"n": 12' })
  const body = toBody([messageStart(), start, delta])
  const events = await collect(ask(async () => new Response(body)))
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    'block_start',
    'block_delta',
    'message_end',
  ])
  expect(endOf(events).content).toEqual([])
})
