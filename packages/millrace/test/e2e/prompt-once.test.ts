import { createServer, connect, type Server, type Socket, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let testServer: TestServer
let proxy: Server
let url = ''
const sockets = new Set<Socket>()
/** The cut of the next connection: after this many bytes to the server, or from it. */
let cut: { readonly towards: 'server' | 'client'; readonly afterBytes: number } | undefined
let requestBytes = 0

beforeAll(async () => {
  testServer = await openTestServer()
  proxy = createServer((client) => {
    const server = connect(Number(new URL(testServer.url).port), '127.0.0.1')
    const mine = cut
    cut = undefined
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    const carry = (from: Socket, to: Socket, towards: 'server' | 'client'): void => {
      let left = mine?.towards === towards ? mine.afterBytes : Infinity
      from.on('data', (bytes: Buffer) => {
        if (towards === 'server') requestBytes += bytes.length
        to.write(bytes.subarray(0, left), () => left <= 0 && end())
        left -= bytes.length
        if (left <= 0) from.pause()
      })
    }
    carry(client, server, 'server')
    carry(server, client, 'client')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})

afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => proxy.close(resolve))
  await testServer.close()
})

/**
 * Sends a prompt over a connection that is cut, and returns the state of the prompt on both sides.
 */
async function askThrough(next: typeof cut) {
  cut = next
  // A separate connection, so that the first request is the one that is cut.
  const headers = { connection: 'close' }
  const session = createSession({ url, headers, retryDelayMs: 1, maxRetryDelayMs: 2 })
  const outcome = await session.run('/demo thinking').then(
    () => 'shown' as const,
    (error: { code: string }) => error.code,
  )
  session.close()
  const response = await fetch(`${testServer.url}/agent/${session.id}`)
  const runs = response.ok ? ((await response.json()) as { total_runs: number }).total_runs : 0
  return { outcome, runs }
}

/** Every byte is cut at night; by day a sample. */
const every = (step: number): number => (process.env['MILLRACE_NIGHTLY'] === '1' ? 1 : step)

test('a prompt whose connection is cut at any byte of request or answer runs once and is shown', async () => {
  expect(await askThrough(undefined)).toEqual({ outcome: 'shown', runs: 1 })
  const length = requestBytes
  expect(length).toBeGreaterThan(100)
  for (let afterBytes = 1; afterBytes <= length + 40; afterBytes += every(3)) {
    const { outcome, runs } = await askThrough({ towards: 'server', afterBytes })
    expect([outcome, runs]).toEqual(['shown', 1])
  }
  for (let afterBytes = 1; afterBytes <= 1_500; afterBytes += every(11)) {
    const { outcome, runs } = await askThrough({ towards: 'client', afterBytes })
    expect([outcome, runs]).toEqual(['shown', 1])
  }
}, 300_000)
