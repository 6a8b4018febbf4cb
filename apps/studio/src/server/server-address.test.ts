import { describe, expect, test } from 'vitest'
import { decodeServer, isLocalAddress, toServerUrl } from './server-address.ts'

const page = 'http://127.0.0.1:8787/?session=1#chat'

describe('the address of a server', () => {
  test.each([
    ['https://mill.example', 'https://mill.example'],
    [' https://mill.example/ ', 'https://mill.example'],
    ['https://mill.example/api/?session=2#chat', 'https://mill.example/api'],
    ['mill.example', 'https://mill.example'],
    ['localhost:9000', 'http://localhost:9000'],
    ['127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ['HTTP://Mill.Example:80/', 'http://mill.example'],
  ])('%j is read as %j', (text, server) => {
    expect(decodeServer(text, page)).toEqual({ server })
  })

  test.each(['', '  ', 'http://127.0.0.1:8787', 'http://127.0.0.1:8787/#lab'])(
    '%j is the page’s own',
    (text) => {
      expect(decodeServer(text, page)).toEqual({ server: '' })
      expect(toServerUrl('', page)).toBe('http://127.0.0.1:8787')
    },
  )

  test.each([
    'javascript://alert(1)',
    'ftp://mill.example',
    'file:///etc',
    'https://a:b@mill.example',
    'https://',
    'data:text/html,x',
  ])('%j has a problem', (text) => {
    expect(decodeServer(text, page).problem).toMatch(/\.$/)
  })

  test('a page in a folder belongs to the server of that folder', () => {
    expect(toServerUrl('', 'https://mill.example/studio/index.html?x')).toBe(
      'https://mill.example/studio',
    )
  })

  test('the local machine has several names', () => {
    const own = ['http://localhost:1', 'http://127.0.0.1', 'http://[::1]:3', 'http://a.localhost']
    expect(own.filter(isLocalAddress)).toEqual(own)
    expect(isLocalAddress('http://127.example')).toBe(false)
    expect(isLocalAddress('http://192.168.0.2')).toBe(false)
  })
})
