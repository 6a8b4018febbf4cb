import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { urlProblem } from './url-rules.ts'

describe('a URL that a provider would fetch', () => {
  test.each([
    'https://example.com/a.png',
    'https://example.com.:8443/a.png?x=1',
    'https://bücher.example/a.png',
    'https://8.8.8.8/a.png',
    'https://[2606:4700::1111]/a.png',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://localhost.example.com/',
  ])('%s is accepted', (url) => {
    expect(urlProblem(url, {})).toBeUndefined()
  })

  test('is accepted as often as it is checked', () => {
    // `URL.canParse` of Node 20 refuses it after some thousand calls.
    const problems = Array.from({ length: 20_000 }, () => urlProblem('https://bücher.example/', {}))
    expect(new Set(problems)).toEqual(new Set([undefined]))
  })

  test.each([
    'http://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'ftp://example.com/',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    '//example.com/',
    'example.com/a.png',
    '',
    'https://ann@example.com/',
    'https://ann:pw@example.com/',
    'https://example.com\\@169.254.169.254/',
    'https://exa\tmple.com/',
    ' https://example.com/',
    'https://example.com/a b',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://intranet/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://printer.local/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
    'https://169.254.43518/',
    'https://169.254.169.254./',
    'https://１６９.２５４.１６９.２５４/',
    'https://127。0。0。1/',
    'https://127%2e0%2e0%2e1/',
    'https://0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://198.19.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:a9fe:a9fe::1]/',
    'https://[2001:0:1::1]/',
    'https://[2001:db8::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[ff02::1]/',
  ])('%j is rejected', (url) => {
    expect(urlProblem(url, {})).toBeDefined()
  })

  test('with a reserved IPv4 address is rejected in every spelling', () => {
    const part = fc.integer({ min: 0, max: 255 })
    const address = fc.oneof(
      fc.tuple(fc.constantFrom(0, 10, 127, 224, 239, 240, 255), part, part, part),
      fc.tuple(fc.constant(169), fc.constant(254), part, part),
      fc.tuple(fc.constant(192), fc.constant(168), part, part),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), part, part),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), part, part),
    )
    const bases = fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(8, 10, 16)))
    const prefixes = new Map([
      [8, '0'],
      [10, ''],
      [16, '0x'],
    ])
    const write = (value: number, base: number): string =>
      `${prefixes.get(base)}${value.toString(base)}`
    fc.assert(
      fc.property(address, bases, (parts, radixes) => {
        const whole = parts.reduce((sum, value) => sum * 256 + value, 0)
        const dotted = parts.map((value, index) => write(value, radixes[index] ?? 10)).join('.')
        for (const host of [
          dotted,
          write(whole, radixes[0] ?? 10),
          `[::ffff:${parts.join('.')}]`,
        ]) {
          expect(urlProblem(`https://${host}/`, {})).toMatch(/public internet/)
        }
      }),
    )
  })

  test('is checked by the rules of the server', () => {
    expect(urlProblem('http://example.com/', { http: true })).toBeUndefined()
    expect(urlProblem('https://10.0.0.1/', { privateHosts: true })).toBeUndefined()
    const hosts = ['CDN.example.com', '*.images.test', '10.0.0.7']
    for (const host of ['cdn.example.com', 'a.b.images.test', '10.0.0.7']) {
      expect(urlProblem(`https://${host}/`, { hosts })).toBeUndefined()
    }
    for (const host of ['example.com', 'images.test', 'evilimages.test', '10.0.0.8']) {
      expect(urlProblem(`https://${host}/`, { hosts })).toMatch(/does not allow/)
    }
    expect(urlProblem('file:///etc/passwd', { http: true, privateHosts: true })).toBeDefined()
  })
})
