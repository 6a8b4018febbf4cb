import { describe, expect, test } from 'vitest'
import { createTokenCheck } from './check-token.ts'

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
  ])('opens: %j', async (headers) => expect(await outcomeOf('s3cret', headers)).toBe('passed'))

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
  ])('does not open: %j', async (headers) =>
    expect(await outcomeOf('s3cret', headers)).toBe('unauthorized'),
  )

  test('nothing is asked where there is none', async () =>
    expect(await outcomeOf(undefined, {})).toBe('passed'))

  test.each(['', ' ', 'two words', 'tökén', 'a\r\nb'])('%j is none that could be sent', (token) =>
    expect(() => createTokenCheck(token)).toThrow(/visible ASCII/),
  )
})
