import { describe, expect, test } from 'vitest'
import { createTokenCheck } from './guard.ts'

const outcomeOf = (token: string | undefined, headers: Record<string, string>): Promise<unknown> =>
  createTokenCheck(token)(new Request('http://localhost/', { headers })).then(
    () => 'passed',
    ({ code }: { code: string }) => code,
  )

describe('a token', () => {
  test.each([
    { authorization: 'Bearer s3cret' },
    { authorization: 'bearer   s3cret' },
    { cookie: 'a=b; millrace_token=s3cret' },
    { cookie: 'millrace_token=wrong', authorization: 'Bearer s3cret' },
  ])('is accepted: %j', async (headers) =>
    expect(await outcomeOf('s3cret', headers)).toBe('passed'),
  )

  test.each([
    {},
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: 's3cret' },
    { authorization: 'Basic s3cret' },
    { authorization: 'Bearer s3cre' },
    { authorization: 'Bearer s3crett' },
    { authorization: 'Bearer S3CRET' },
    { authorization: 'Bearer s3cret s3cret' },
    { cookie: 'xmillrace_token=s3cret' },
    { cookie: 'millrace_token=' },
  ])('is rejected: %j', async (headers) =>
    expect(await outcomeOf('s3cret', headers)).toBe('unauthorized'),
  )

  test('is not required without the option', async () =>
    expect(await outcomeOf(undefined, {})).toBe('passed'))

  test.each(['', ' ', 'two words', 'tökén', 'a\r\nb'])('%j is rejected as an option', (token) =>
    expect(() => createTokenCheck(token)).toThrow(/visible ASCII/),
  )
})
