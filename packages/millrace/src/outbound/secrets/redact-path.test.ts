import fc from 'fast-check'
import { expect, test } from 'vitest'
import { opaqueSecret, shapedSecret } from '../../../test/support/secrets.ts'
import { redactPath } from './redact-headers.ts'

test.each([
  '/v1/messages',
  '/v1/messages?beta=true',
  '/openai/deployments/gpt-5/chat/completions?api-version=2024-12-01-preview',
  '/v1/models/gemini-2.5-flash-preview-05-20:streamGenerateContent?alt=sse',
  '/a%20b?q=c%2Bd+e&empty=&flag',
  '/?%zz=%',
])('%s stays unchanged', (path) => {
  expect(redactPath(path)).toBe(path)
})

test('redacts secret parameters and all tokens', () => {
  expect(redactPath('/x?key=short&api_key=k&X-Amz-Signature=s&page=2')).toBe(
    '/x?key=redacted&api_key=redacted&X-Amz-Signature=redacted&page=2',
  )
  const place = fc.constantFrom(
    (secret: string) => `/x?anything=${encodeURIComponent(secret)}&page=2`,
    (secret: string) => `/x?${encodeURIComponent(secret)}`,
    (secret: string) => `/x?a=1&access_token=${encodeURIComponent(secret)}`,
    (secret: string) => `/x/${encodeURIComponent(secret)}/y`,
  )
  fc.assert(
    fc.property(shapedSecret, place, (secret, put) => {
      expect(decodeURIComponent(redactPath(put(secret)))).not.toContain(secret)
    }),
  )
  fc.assert(
    fc.property(opaqueSecret, place, (secret, put) => {
      expect(decodeURIComponent(redactPath(put(secret), [secret]))).not.toContain(secret)
    }),
  )
})
