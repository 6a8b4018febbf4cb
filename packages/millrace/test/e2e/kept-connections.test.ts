import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { nginxMissing, type RealProxy, startNginx } from '../support/network/real-proxies.ts'

/**
 * Reuses few connections to the server for all clients, and forwards bodies without buffering. Clients get a new connection for each
 * request: nginx may close one whose body it has not read while the client sends the next request.
 */
const config = `
upstream millrace {
    server 127.0.0.1:8787;
    keepalive 8;
}
server {
    listen 443;
    client_max_body_size 0;
    keepalive_timeout 0;
    location / {
        proxy_pass http://millrace;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_request_buffering off;
    }
}`

const ROUNDS = 20
const LANES = 8
const MAX_BODY_BYTES = 65_536

/** Requests that are refused before their body is read, and the sizes of their bodies. */
const refusals = [
  { path: '/agent/run', type: 'application/json', status: 413, bytes: 300_000 },
  { path: '/agent/run', type: 'text/plain', status: 415, bytes: 200_000 },
  { path: '/nowhere', type: 'application/json', status: 404, bytes: 900_000 },
  { path: '/health', type: 'application/json', status: 405, bytes: 70_000 },
  { path: '/agent/run', type: 'text/plain', status: 415, bytes: 3_000_000 },
] as const

describe.skipIf(nginxMissing !== '')(`behind nginx with kept connections${nginxMissing}`, () => {
  let server: TestServer
  let proxy: RealProxy

  beforeAll(async () => {
    server = await openTestServer({
      limits: { maxBodyBytes: MAX_BODY_BYTES, maxActiveRuns: 10_000 },
    })
    proxy = await startNginx({ config, port: Number(new URL(server.url).port) })
  })

  afterAll(async () => {
    await proxy.close()
    await server.close()
  })

  async function post(path: string, type: string, body: string): Promise<number> {
    const headers = { 'content-type': type }
    const response = await fetch(`${proxy.url}${path}`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }

  /** Sends refused and valid requests in turn; a run is not repeated by nginx when its connection fails. */
  async function runLane(lane: number): Promise<readonly string[]> {
    const faults: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const refusal = refusals[(lane + round) % refusals.length]
      if (refusal === undefined) throw new Error('There are no refusals.')
      const { path, type, status, bytes } = refusal
      const refused = await post(path, type, 'a'.repeat(bytes))
      if (refused !== status) faults.push(`${refused} in place of ${status}`)
      const valid = await post('/agent/run', 'application/json', '{"user_prompt":"/demo text"}')
      if (valid !== 200) faults.push(`${valid} for a valid request after ${status}`)
    }
    return faults
  }

  test(`${ROUNDS * LANES} valid requests between rejected ones are answered`, async () => {
    const lanes = await Promise.all(Array.from({ length: LANES }, (_, lane) => runLane(lane)))
    expect(lanes.flat()).toEqual([])
    expect(server.errors).toEqual([])
  }, 300_000)

  test('valid requests are answered while clients disconnect in the middle of streams and of bodies', async () => {
    const leave = async (): Promise<void> => {
      const controller = new AbortController()
      const { signal } = controller
      const headers = { 'content-type': 'application/json' }
      const body = '{"user_prompt":"/demo text"}'
      const url = `${proxy.url}/agent/run`
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      await response.body?.getReader().read()
      controller.abort()
      const never = new ReadableStream({
        start: (sender) => sender.enqueue(new TextEncoder().encode('{"user_prompt":')),
      })
      const init = { method: 'POST', headers, body: never, duplex: 'half' }
      const sending = fetch(url, { ...init, signal: AbortSignal.timeout(50) })
      await sending.catch(() => {})
    }
    const statuses: number[] = []
    for (let round = 0; round < 20; round++) {
      await Promise.all([leave(), leave()])
      statuses.push(await post('/agent/run', 'application/json', '{"user_prompt":"/demo text"}'))
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })
})
