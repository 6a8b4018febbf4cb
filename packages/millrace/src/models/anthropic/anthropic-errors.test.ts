import { createRequire } from 'node:module'
import { Anthropic } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { endOf, readEvents, toBody } from '../../../test/support/models/anthropic-events.ts'
import {
  ask,
  collect,
  errorResponse,
  message,
  request,
} from '../../../test/support/models/anthropic-requests.ts'
import { anthropic } from './anthropic.ts'

describe('errors before the stream', () => {
  const failureOf = async (response: () => Response) =>
    endOf(await collect(ask(async () => response()))).failure

  test('have status, type, message and retry delay', async () => {
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

  test('follow x-should-retry regardless of the status', async () => {
    const error = { type: 'api_error', message: 'm' }
    const failure = await failureOf(() => errorResponse(500, error, { 'x-should-retry': 'false' }))
    expect(failure?.retriable).toBe(false)
  })

  test('with a body that is not JSON give a failure', async () => {
    const failure = await failureOf(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    expect(failure).toMatchObject({ type: 'http_error', status: 502, retriable: true })
  })

  test('by a spend limit are neither retriable nor retried', async () => {
    let requests = 0
    const details = { error_code: 'enforced_spend_limit_reached' }
    const error = { type: 'rate_limit_error', message: 'Limit reached.', details }
    const fetch = async () => (requests++, errorResponse(429, error))
    const end = endOf(await collect(ask(fetch, { maxRetries: 2 })))
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

  test('keep the request id', async () => {
    const headers = { 'request-id': 'req_7' }
    const failure = await failureOf(() => errorResponse(400, { type: 'x', message: 'm' }, headers))
    expect(failure?.requestId).toBe('req_7')
  })

  test('that are transient are retried before the stream', async () => {
    let requests = 0
    const fetch = async () =>
      requests++ === 0
        ? errorResponse(529, { type: 'overloaded_error', message: 'm' }, { 'retry-after-ms': '1' })
        : new Response(toBody(message))
    const end = endOf(await collect(ask(fetch, { maxRetries: 1 })))
    expect({ requests, outcome: end.outcome }).toEqual({ requests: 2, outcome: 'finished' })
  })

  test('by an unreachable API are retriable', async () => {
    const fetch = async () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))
    const end = endOf(await collect(ask(fetch)))
    expect(end).toMatchObject({
      outcome: 'failed',
      failure: { type: 'connection_lost', retriable: true },
    })
    expect(end.failure?.message).toContain('ECONNREFUSED')
  })
})

describe('a custom client', () => {
  // `require` gives another copy of the SDK than `import`, with other classes.
  const { Anthropic: Other } = createRequire(import.meta.url)('@anthropic-ai/sdk') as {
    Anthropic: typeof Anthropic
  }

  const failureOf = async (fetch: typeof globalThis.fetch) => {
    const client = new Other({ apiKey: 'key', maxRetries: 0, timeout: 20, fetch })
    return endOf(await collect(anthropic('model-1', { client }).stream(request))).failure
  }

  test('may be of another copy of the SDK', async () => {
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

  test('may return events instead of a response, as wrappers do', async () => {
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

  test('may decode its own framing', async () => {
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
    const create = () =>
      Object.assign(Promise.resolve(decoded(message)), {
        asResponse: async () => new Response(new Uint8Array([0, 0, 0, 1]), { headers }),
      })
    expect(await streamOf(create)).toEqual(readEvents(message))
  })

  test('may fail in its own way, which is reported and not retried', async () => {
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
