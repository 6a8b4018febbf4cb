import fc from 'fast-check'
import { expect, test } from 'vitest'
import { opaqueSecret, shapedSecret } from '../../../test/support/secrets.ts'
import { redactHeaders } from './redact-headers.ts'

test.each([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
  'x-amz-security-token',
  'anthropic-organization-id',
  'openai-organization',
  'openai-project',
  'x-forwarded-for',
  'cf-connecting-ip',
  'proxy-status',
  'via',
  'x-session-id',
])('%s is always redacted', (name) => {
  expect(redactHeaders({ [name]: 'any' })).toEqual({ [name]: 'redacted' })
})

test('keeps headers that describe the exchange', () => {
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'content-length': '1234',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14',
    'anthropic-ratelimit-input-tokens-remaining': '398000',
    'anthropic-ratelimit-tokens-reset': '2026-01-02T03:04:05Z',
    'retry-after': '7',
    'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy',
    'user-agent': 'Anthropic/JS 1.8.0',
    'x-stainless-retry-count': '0',
    'openai-processing-ms': '231',
    date: 'Fri, 02 Jan 2026 03:04:05 GMT',
  }
  expect(redactHeaders(headers)).toEqual(headers)
})

test('masks values that look like tokens in other headers, and known tokens in all headers', () => {
  const name = fc.constantFrom('x-anything', 'user-agent', 'anthropic-beta', 'referer', 'x-trace')
  fc.assert(
    fc.property(name, shapedSecret, (header, secret) => {
      expect(redactHeaders({ [header]: `a ${secret}; b` })[header]).not.toContain(secret)
    }),
  )
  const opaque = opaqueSecret.filter((secret) => secret.length >= 20)
  fc.assert(
    fc.property(opaque, (secret) => {
      expect(redactHeaders({ 'x-anything': `v1 ${secret}` })['x-anything']).not.toContain(secret)
      expect(redactHeaders({ 'user-agent': `me ${secret}` }, [secret])['user-agent']).not.toContain(
        secret,
      )
    }),
  )
})
