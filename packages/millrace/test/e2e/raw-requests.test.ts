import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(() => server.close())

/** Sends bytes that no client library sends, and reads until the server closes the connection. */
function sendRaw(text: string): Promise<string> {
  const { port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
    socket.write(text.replaceAll('\n', '\r\n'))
  })
}

const head = 'Host: 127.0.0.1\nConnection: close\n'
const json = `${head}Content-Type: application/json\n`

test.each<[string, string, number, RegExp]>([
  ['a method that echoes', `TRACE /agent/run HTTP/1.1\n${head}\n`, 405, /use GET or POST/],
  ['a method that changes', `PUT /agent/run HTTP/1.1\n${head}\n`, 405, /allow: POST/],
  ['a method of its own', `FETCH /agent/run HTTP/1.1\n${head}\n`, 400, /^/],
  [
    'a host with a space',
    'GET /health HTTP/1.1\nHost: a b\nConnection: close\n\n',
    400,
    /correct it/,
  ],
  [
    'a host cut short',
    'GET /health HTTP/1.1\nHost: [::1\nConnection: close\n\n',
    400,
    /correct it/,
  ],
  ['no host', 'GET /health HTTP/1.1\nConnection: close\n\n', 400, /^/],
  [
    'another host',
    'GET /health HTTP/1.1\nHost: evil.example\nConnection: close\n\n',
    403,
    /allowedHosts/,
  ],
  ['a path that climbs', `GET /../../../etc/passwd HTTP/1.1\n${head}\n`, 404, /openapi/],
  [
    'a path that climbs in disguise',
    `GET /agent/%2e%2e%2fetc/stream HTTP/1.1\n${head}\n`,
    400,
    /UUID/,
  ],
  ['a path with half an escape', `GET /agent/%e0%a4%a/stream HTTP/1.1\n${head}\n`, 400, /UUID/],
  ['a path with the end of a string', `GET /agent/%00/stream HTTP/1.1\n${head}\n`, 400, /UUID/],
  ['a path as another server’s', `GET //evil.example/health HTTP/1.1\n${head}\n`, 404, /openapi/],
  [
    'a header over two lines',
    `GET /health HTTP/1.1\n${head}Last-Event-ID: 1\n forged: x\n\n`,
    400,
    /^/,
  ],
  ['headers without end', `GET /health HTTP/1.1\n${head}X: ${'a'.repeat(40_000)}\n\n`, 431, /^/],
  [
    'two lengths of one body',
    `POST /agent/run HTTP/1.1\n${json}Content-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n`,
    400,
    /^/,
  ],
  [
    'a body that is announced too large',
    `POST /agent/run HTTP/1.1\n${json}Content-Length: 99999999\n\n{}`,
    413,
    /1048576/,
  ],
  ['what is no HTTP', '\x16\x03\x01\x02\x00\n\n', 400, /^/],
])('%s is rejected, and the server continues', async (_, text, status, words) => {
  const answer = await sendRaw(text)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer).toMatch(words)
  expect(answer).not.toMatch(/node_modules|\bat .+:\d+:\d+|\.ts\b/)
  if (answer.includes('{"error"')) expect(answer).toContain('x-content-type-options: nosniff')
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect(server.errors).toEqual([])
})
