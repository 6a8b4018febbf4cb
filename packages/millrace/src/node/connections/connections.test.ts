import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { RunningServer } from '../listen.ts'
import { type ServeLimits, toServeLimits } from './connections.ts'
import { serve } from '../serve.ts'

const sockets: Socket[] = []
let server: RunningServer | undefined

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.close()
  server = undefined
})

/** Serves `/health`, and endless streams for all other paths. */
async function start(limits: ServeLimits): Promise<RunningServer> {
  const encoder = new TextEncoder()
  const fetch = ({ url }: Request): Response => {
    if (new URL(url).pathname === '/health') return Response.json({ status: 'healthy' })
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode(': hello\n\n')),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  server = await serve({ handler: { fetch }, port: 0, closeGraceMs: 50, limits })
  return server
}

interface Client {
  readonly socket: Socket
  readonly text: () => string
  readonly isClosed: () => boolean
}

async function open({ port }: RunningServer, request = ''): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  let text = ''
  let isClosed = false
  socket.on('error', () => {})
  socket.on('data', (data) => (text += data.toString()))
  socket.on('close', () => (isClosed = true))
  await once(socket, 'connect')
  if (request !== '') socket.write(request)
  return { socket, text: () => text, isClosed: () => isClosed }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

async function openStream(at: RunningServer): Promise<Client> {
  const client = await open(at, get('/stream'))
  await expect.poll(client.text).toContain(': hello')
  return client
}

const countClosed = (clients: readonly Client[]): number =>
  clients.filter(({ isClosed }) => isClosed()).length

async function isHealthy(at: RunningServer): Promise<boolean> {
  const client = await open(at, get('/health'))
  await expect.poll(client.text).toContain('"healthy"')
  return client.text().startsWith('HTTP/1.1 200')
}

describe('at the limit of connections', () => {
  test('silent ones are closed, the oldest first, and streams stay', async () => {
    const at = await start({ maxConnections: 16 })
    const stream = await openStream(at)
    const silent: Client[] = []
    for (let count = 0; count < 40; count++) silent.push(await open(at))
    expect(await isHealthy(at)).toBe(true)
    await expect.poll(() => countClosed(silent)).toBe(40 - 14)
    expect(silent.slice(0, 26).every(({ isClosed }) => isClosed())).toBe(true)
    expect(stream.isClosed()).toBe(false)
  })

  test('those with half a head are closed too', async () => {
    const at = await start({ maxConnections: 8 })
    const half: Client[] = []
    for (let count = 0; count < 20; count++) half.push(await open(at, 'GET / HTTP/1.1\r\nx: '))
    expect(await isHealthy(at)).toBe(true)
    await expect.poll(() => countClosed(half)).toBe(20 - 7)
  })

  test('idle ones are closed after silent ones', async () => {
    const at = await start({ maxConnections: 8 })
    const idle: Client[] = []
    for (let count = 0; count < 6; count++) {
      const client = await open(at, get('/health'))
      await expect.poll(client.text).toContain('healthy')
      idle.push(client)
    }
    const silent = [await open(at), await open(at)]
    expect(await isHealthy(at)).toBe(true)
    await expect.poll(() => countClosed(silent)).toBe(1)
    expect(countClosed(idle)).toBe(0)
    await openStream(at)
    await openStream(at)
    await expect.poll(() => countClosed(idle)).toBe(1)
    expect(idle[0]?.isClosed()).toBe(true)
  })

  test('streams are rejected with 503 while all connections are in use, and health checks are answered', async () => {
    const at = await start({ maxConnections: 16 })
    const streams: Client[] = []
    for (let count = 0; count < 14; count++) streams.push(await openStream(at))
    for (let count = 0; count < 5; count++) {
      const refused = await open(at, get('/stream'))
      await expect.poll(refused.isClosed).toBe(true)
      expect(refused.text()).toMatch(/^HTTP\/1\.1 503 /)
      expect(refused.text()).toContain('"code":"overloaded"')
      expect(await isHealthy(at)).toBe(true)
    }
    expect(countClosed(streams)).toBe(0)
  })
})

test('connections without a complete head are counted separately', async () => {
  const at = await start({ maxPendingConnections: 3 })
  const silent: Client[] = []
  for (let count = 0; count < 10; count++) silent.push(await open(at))
  await expect.poll(() => countClosed(silent)).toBe(7)
})

test('a head that does not arrive in time is answered with 408', async () => {
  const at = await start({ headersTimeoutMs: 200 })
  const half = await open(at, 'GET / HTTP/1.1\r\nx: ')
  const silent = await open(at)
  await expect.poll(half.isClosed, { timeout: 5_000 }).toBe(true)
  await expect.poll(silent.isClosed, { timeout: 5_000 }).toBe(true)
  expect(half.text()).toContain('408 Request Timeout')
})

test('a connection without a request is closed after its time limit', async () => {
  const at = await start({ keepAliveTimeoutMs: 100 })
  const idle = await open(at, get('/health'))
  await expect.poll(idle.text).toContain('healthy')
  await expect.poll(idle.isClosed, { timeout: 5_000 }).toBe(true)
})

describe('limits', () => {
  test('follow the descriptors of the process if these are fewer', () => {
    expect(toServeLimits({}, 256).maxConnections).toBe(192)
    expect(toServeLimits({ maxConnections: 100 }, 256).maxConnections).toBe(100)
    expect(toServeLimits({ maxConnections: 1_000 }, 1_000_000).maxConnections).toBe(1_000)
  })

  test.each([
    [{ maxConection: 1 }, /limits\.maxConection does not exist.*: maxConnections/],
    [{ headersTimeoutMs: -1 }, /limits\.headersTimeoutMs is -1/],
  ])('%j is rejected', async (limits, problem) => {
    await expect(start(limits as ServeLimits)).rejects.toThrow(problem)
  })
})
