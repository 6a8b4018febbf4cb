import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../millrace/test/support/runs.ts'
import {
  announcements,
  chunksOf,
  opaqueSecret,
  prose,
  shapedSecret,
} from '../../../millrace/test/support/secrets.ts'
import { createExchangeRecorder, decodeRecording } from './index.ts'
import type { ExchangeRecorderOptions } from './exchange-recorder.ts'

interface Exchange {
  readonly path?: string
  readonly requestHeaders?: Readonly<Record<string, string>>
  readonly requestChunks?: readonly Uint8Array[]
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseChunks?: readonly Uint8Array[]
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Records an exchange, and returns the text of the file. */
function record(exchange: Exchange, options: Partial<ExchangeRecorderOptions> = {}): string {
  const { path = '/v1/messages', requestHeaders = {}, responseHeaders = {} } = exchange
  let file = ''
  const recorder = createExchangeRecorder({
    request: { method: 'POST', path, headers: requestHeaders },
    write: (line) => (file += line),
    ...options,
  })
  for (const chunk of exchange.requestChunks ?? []) recorder.feedRequest(chunk)
  recorder.openResponse({ status: 200, headers: responseHeaders })
  for (const chunk of exchange.responseChunks ?? []) recorder.feedResponse(chunk)
  recorder.close('complete')
  return file
}

/** Returns everything readable in a recording: its text, and the decoded bytes. */
function everythingIn(file: string): string {
  const { request, chunks } = decodeRecording(file)
  const body = request?.body && 'bytes' in request.body ? request.body.bytes : new Uint8Array()
  return [
    file,
    decodeURIComponent(request?.path ?? ''),
    Buffer.from(body).toString(),
    Buffer.concat(chunks.map(({ bytes }) => bytes)).toString(),
  ].join('\n')
}

const inJson = (text: string): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] })
const inEvent = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ delta: { type: 'text_delta', text } })}\n\n`
const inError = (text: string): string =>
  JSON.stringify({ type: 'error', error: { message: `Bad key: ${text}` } })

const eventStream = { 'content-type': 'text/event-stream' }

test.each([
  ['content-encoding', 'gzip'],
  ['content-type', 'application/vnd.amazon.eventstream'],
  ['Content-Encoding', 'br'],
  ['Content-Type', 'Application/Vnd.Amazon.EventStream; charset=x'],
])('does not record a body that cannot be scanned: %s %s', (name, form) => {
  const lines: string[] = []
  const request = { method: 'POST', path: '/', headers: {} }
  const recorder = createExchangeRecorder({ request, write: (line) => lines.push(line) })
  expect(recorder.openResponse({ status: 200, headers: { [name]: form } })).toBe(form)
  recorder.feedResponse(encode('anything'))
  recorder.close('complete')
  expect(lines).toEqual([])
})

describe('a recording contains no token', () => {
  const place = fc.constantFrom<(secret: string) => Exchange & { readonly body?: string }>(
    (secret) => ({ requestHeaders: { authorization: `Bearer ${secret}` } }),
    (secret) => ({ requestHeaders: { 'x-api-key': secret }, body: inError(secret) }),
    (secret) => ({ requestHeaders: { cookie: `a=b; session=${secret}` }, body: inEvent(secret) }),
    (secret) => ({ requestHeaders: { 'x-anything': secret } }),
    (secret) => ({ responseHeaders: { 'set-cookie': `id=${secret}; Secure` } }),
    (secret) => ({
      responseHeaders: { 'anthropic-organization-id': secret },
      body: inJson(secret),
    }),
    (secret) => ({ path: `/v1/messages?key=${encodeURIComponent(secret)}`, body: inError(secret) }),
    (secret) => ({ path: `/v1/messages?a=${encodeURIComponent(secret)}` }),
    (secret) => ({ requestChunks: [encode(inJson(`My key is ${secret}.`))] }),
    (secret) => ({ body: inJson(secret) }),
    (secret) => ({ body: inEvent(`Your key is "${secret}"`) }),
    (secret) => ({ body: secret }),
  )

  test('at any position, also across chunks', () => {
    const exchange = fc.tuple(shapedSecret, place, prose).chain(([secret, put, before]) => {
      const { body = '', ...rest } = put(secret)
      return chunksOf(encode(`${before}\n${body}`)).map((responseChunks) => ({
        secret,
        exchange: { responseHeaders: eventStream, ...rest, responseChunks },
      }))
    })
    fc.assert(
      fc.property(exchange, ({ secret, exchange }) => {
        expect(everythingIn(record(exchange))).not.toContain(secret)
      }),
      { numRuns: runs(300, 20_000) },
    )
  })

  test.each([
    ['authorization', 'Bearer correct-horse'],
    ['authorization', 'correct-horse'],
    ['x-api-key', 'correct-horse'],
    ['api-key', 'correct-horse'],
    ['x-goog-api-key', 'correct-horse'],
    ['x-amz-security-token', 'correct-horse'],
  ])('also no key of plain words that an answer repeats: %s', (name, value) => {
    const body = inError('correct-horse')
    const exchange = { requestHeaders: { [name]: value }, responseChunks: [encode(body)] }
    expect(everythingIn(record(exchange))).not.toContain('correct-horse')
  })

  test('of the request, also across chunks', () => {
    const exchange = fc
      .tuple(fc.oneof(shapedSecret, opaqueSecret), fc.constantFrom(...announcements), prose)
      .chain(([secret, announce, before]) =>
        chunksOf(encode(inJson(`${before}\n${announce(secret)}`))).map((requestChunks) => ({
          secret,
          exchange: { requestChunks },
        })),
      )
    fc.assert(
      fc.property(exchange, ({ secret, exchange }) => {
        expect(everythingIn(record(exchange))).not.toContain(secret)
      }),
      { numRuns: runs(200, 20_000) },
    )
  })

  test('of the request that the answer repeats in chunks', () => {
    const exchange = fc.tuple(opaqueSecret, fc.nat({ max: 15 })).map(([secret, at]) => ({
      secret,
      pieces: [`Do not tell ${secret.slice(0, at)}`, secret.slice(at), '.'],
    }))
    fc.assert(
      fc.property(exchange, ({ secret, pieces }) => {
        const file = record({
          requestHeaders: { 'x-api-key': secret },
          responseHeaders: eventStream,
          responseChunks: pieces.map((piece) => encode(inEvent(piece))),
        })
        const said = [...everythingIn(file).matchAll(/"text":"([^"]*)"\}\}$/gm)]
        expect(said.map(([, text]) => text).join('')).toContain(`Do not tell ${'*'.repeat(8)}`)
        expect(said.map(([, text]) => text).join('')).not.toContain(secret)
      }),
    )
  })

  test('omits a compressed body', () => {
    const requestHeaders = { 'content-encoding': 'gzip' }
    const file = record({ requestHeaders, requestChunks: [Uint8Array.of(31, 139, 8)] })
    expect(decodeRecording(file).request?.body).toEqual({ omittedBytes: 3 })
  })
})

test('writes an exchange with its times, boundaries and end', () => {
  const times = [1000, 1250, 1250, 1300.04, 1400, 1500]
  const now = (): number => times.shift() ?? 0
  const responseChunks = [encode('data: a'), Uint8Array.of(0xc3), Uint8Array.of(0xa4, 0x0a)]
  const exchange = {
    requestHeaders: { 'anthropic-version': '2023-06-01' },
    requestChunks: [encode('{"model":'), encode('"m"}')],
    responseHeaders: eventStream,
    responseChunks,
  }
  const lines = record(exchange, { now, at: new Date(0) })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  expect(lines).toEqual([
    {
      recording: 1,
      request: {
        method: 'POST',
        path: '/v1/messages',
        headers: { 'anthropic-version': '2023-06-01' },
        body: { text: '{"model":"m"}' },
      },
      response: { status: 200, headers: eventStream, ms: 250 },
      at: '1970-01-01T00:00:00.000Z',
    },
    { ms: 0, text: 'data: a' },
    { ms: 50, base64: 'ww==' },
    { ms: 150, base64: 'pAo=' },
    { end: 'complete', ms: 250 },
  ])
})

test('without prompts, replaces the texts of the request by lengths and keeps the answer', () => {
  const exchange = {
    requestChunks: [encode(inJson('Grind my corn!'))],
    responseChunks: [encode(inJson('Gladly.'))],
  }
  const file = record(exchange, { keepsPrompts: false })
  expect(file).not.toContain('corn')
  expect(file).toContain('[14 characters]')
  expect(file).toContain('Gladly.')
  expect(decodeRecording(file).request?.hasPrompts).toBe(false)
  const unreadable = record({ requestChunks: [encode('prompt=corn')] }, { keepsPrompts: false })
  expect(decodeRecording(unreadable).request?.body).toEqual({ omittedBytes: 11 })
})

test('counts the bytes of a request that is too large, and omits them', () => {
  const requestChunks = [encode('12345'), encode('67890')]
  const { request } = decodeRecording(record({ requestChunks }, { maxBodyBytes: 9 }))
  expect(request?.body).toEqual({ omittedBytes: 10 })
})

test('writes nothing before the response, and nothing after the end', () => {
  const lines: string[] = []
  const request = { method: 'POST', path: '/', headers: {} }
  const recorder = createExchangeRecorder({ request, write: (line) => lines.push(line) })
  recorder.feedRequest(encode('{}'))
  recorder.feedResponse(encode('early'))
  expect(lines).toEqual([])
  recorder.openResponse({ status: 200, headers: {} })
  recorder.close('cut')
  recorder.feedResponse(encode('late'))
  recorder.close('complete')
  expect(lines.map((line) => Object.keys(JSON.parse(line) as object)[0])).toEqual([
    'recording',
    'end',
  ])
})
