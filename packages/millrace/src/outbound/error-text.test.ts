import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { opaqueSecret, shapedSecret } from '../../test/support/secrets.ts'
import { toProviderErrorTexts, toToolErrorText } from './error-text.ts'
import { keepSecrets } from './secrets/registered-secrets.ts'
import { redactText } from './secrets/redact-text.ts'

const shown = (text: string): string => toProviderErrorTexts(text).shown

describe('an error of a provider', () => {
  test.each([
    ['prompt is too long: 210000 tokens > 200000 maximum', undefined],
    ['model: claude-sonnet-4-5-20250929 is not available in /v1/messages', undefined],
    [
      'messages.0.content.0: expected <string>, got <number> (req_011CSHoEeqs5C35K2UUqR7Fy)',
      undefined,
    ],
    ['ENOENT: /srv/gateway/secrets/prod.json', 'ENOENT: [path]'],
    ['Error at "/home/ann/app/index.js:10:5"; retry', 'Error at "[path]"; retry'],
    ['Error\n    at run (/opt/x/y.js:1:2)\n    at go (node:internal/x:1)', 'Error'],
    ['cannot read C:\\Users\\ann\\key.pem now', 'cannot read [path] now'],
    ['open file:///etc/passwd', 'open [path]'],
    ['see ~/.aws/credentials, cwd=/var/lib/x', 'see [path], cwd=[path]'],
    [
      'proxy http://ann:hunter2@10.0.0.3:8080 refused',
      'proxy http://ann:*******@10.0.0.3:8080 refused',
    ],
    ['redis://:hunter2@cache', 'redis://:*******@cache'],
    ['GET https://api.test/v1?key=short1&alt=sse', 'GET https://api.test/v1?key=******&alt=sse'],
    ['write to mailto:ann@example.com', undefined],
  ])('%j contains no internal details', (text, expected = text) => {
    expect(shown(text)).toBe(expected)
  })

  test('shows the title of an HTML page, or its plain text', () => {
    const page = `<html><head><title>502 Bad\n Gateway</title><script>var k = "CANARY"</script></head><body>CANARY</body></html>`
    expect(shown(page)).toMatch(/a page of HTML.*: “502 Bad Gateway”$/)
    expect(shown('<h1>Oops</h1><script>CANARY</script><p>Try &amp; wait</p>')).toBe(
      'Oops Try & wait',
    )
    expect(shown('Status 500: <!DOCTYPE html><title>Down</title>')).toMatch(
      /^Status 500: .*“Down”$/,
    )
    expect(toProviderErrorTexts(page).original).toContain('<title>502 Bad\n Gateway</title>')
  })

  test('is bounded, also for endless text', () => {
    expect(shown('no '.repeat(1_000_000)).length).toBeLessThanOrEqual(2_001)
    expect(toProviderErrorTexts('no '.repeat(1_000_000)).original.length).toBeLessThanOrEqual(4_001)
    expect(() => encodeURIComponent(shown('x' + '😀'.repeat(1_000)))).not.toThrow()
  })

  test('contains no secret in any context', () => {
    const around = fc.constantFrom(' ', '"', "'", '(', '<b>', '\n', ': ', '\t')
    fc.assert(
      fc.property(shapedSecret, opaqueSecret, around, (shaped, opaque, mark) => {
        const text = `Refused${mark}${shaped}${mark} x-api-key: ${opaque}`
        const { shown, original } = toProviderErrorTexts(text)
        for (const form of [shown, original, toToolErrorText(text)]) {
          expect(form).not.toContain(shaped)
          expect(form).not.toContain(opaque)
        }
      }),
    )
  })

  test('contains no password of a URL', () => {
    const part = fc.string({
      unit: fc.constantFrom(...'abzXY019-._~!$*+%:@'.split('')),
      minLength: 1,
      maxLength: 40,
    })
    const user = fc.stringMatching(/^[a-z]{3,8}\d$/)
    fc.assert(
      fc.property(user, part, (name, password) => {
        const text = redactText(
          `at https://${name}:Q${password}Q@host.test/x and ${name}:Q${password}Q@host:1`,
        )
        expect(text).toMatch(/^at https:\/\/\w+:[*@]+@host\.test\/x and \w+:[*@]+@host:1$/)
      }),
    )
  })

  test('contains no long random token', () => {
    const hex = fc.stringMatching(/^[0-9a-f]{40}$/)
    const base36 = fc.stringMatching(/^[0-9a-z]{48}$/)
    const isMixed = (token: string): boolean => (token.match(/\d[a-z]|[a-z]\d/g)?.length ?? 0) > 8
    fc.assert(
      fc.property(fc.oneof(hex, base36).filter(isMixed), (token) => {
        expect(shown(`denied for ${token}.`)).not.toContain(token)
      }),
    )
  })
})

test('masks a registered secret in every spelling', () => {
  const secret = 'plain words & "quotes" é'
  keepSecrets([secret, 'short', undefined])
  for (const spelt of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
    expect(redactText(`the ${spelt} is known`)).toBe(`the ${'*'.repeat(spelt.length)} is known`)
  }
  expect(redactText('short')).toBe('short')
})

test('masks only the secrets in an error of a tool', () => {
  const text = 'ENOENT: /srv/app/data.csv not found; line 3 of <table>; token='
  expect(toToolErrorText(`${text}abc123def456ghi789jk0`)).toBe(`${text}${'*'.repeat(21)}`)
})
