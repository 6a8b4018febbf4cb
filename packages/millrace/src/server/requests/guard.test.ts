import { describe, expect, test } from 'vitest'
import { checkSource, guardResponse, toPreflightResponse } from './guard.ts'

const guard = { allowedHosts: ['app.example'], allowedOrigins: ['https://friend.example'] }

const from = (host: string, origin?: string): Request =>
  new Request('http://ignored.example/agent/run', {
    headers: origin === undefined ? { host } : { host, origin },
  })

describe('hosts', () => {
  test.each([
    'localhost',
    'localhost:8787',
    'studio.localhost:1',
    '127.0.0.1:8787',
    '192.168.1.20:8787',
    '[::1]:8787',
    'app.example',
    'APP.example:443',
  ])('%s is allowed', (host) => expect(() => checkSource(from(host), guard)).not.toThrow())

  test.each([
    'evil.example',
    'evil.example:8787',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ])('%s, which others can point here, is rejected', (host) =>
    expect(() => checkSource(from(host), guard)).toThrow(/allowedHosts/),
  )

  test('any name is allowed with `*`', () => {
    const open = { ...guard, allowedHosts: ['*'] }
    expect(() => checkSource(from('evil.example'), open)).not.toThrow()
  })
})

describe('origins', () => {
  test.each(['http://localhost:8787', 'https://localhost:8787', 'https://friend.example'])(
    '%s may use the server at localhost:8787',
    (origin) => expect(() => checkSource(from('localhost:8787', origin), guard)).not.toThrow(),
  )

  test.each([
    'null',
    'http://localhost:9999',
    'https://evil.example',
    'https://friend.example.evil.example',
    'http://friend.example',
  ])('%s may not', (origin) =>
    expect(() => checkSource(from('localhost:8787', origin), guard)).toThrow(/allowedOrigins/),
  )

  test('only an allowed origin gets CORS headers', () => {
    const friend = guardResponse(
      from('app.example', 'https://friend.example'),
      new Response(''),
      guard,
    )
    const own = guardResponse(from('app.example'), new Response(''), guard)
    expect(friend.headers.get('access-control-allow-origin')).toBe('https://friend.example')
    expect(friend.headers.get('access-control-allow-credentials')).toBeNull()
    expect(own.headers.get('access-control-allow-origin')).toBeNull()
    expect(own.headers.get('vary')).toBe('Origin')
  })

  test('its pages may send the headers of the library', () => {
    const allowed = toPreflightResponse().headers.get('access-control-allow-headers')?.split(', ')
    const needed = ['idempotency-key', 'last-event-id', 'millrace-log', 'millrace-share', 'prefer']
    expect(allowed).toEqual(expect.arrayContaining(needed))
  })
})
