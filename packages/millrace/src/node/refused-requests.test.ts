import { once } from 'node:events'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createScriptedModel } from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import { createHandler } from '../server/handler.ts'
import { createMemoryStore } from '../stores/memory/memory-store.ts'
import type { RunningServer } from './listen.ts'
import { serve } from './serve.ts'

const MAX_BODY_BYTES = 65_536
/** More than the buffers of a connection hold, so that a client is still sending when it is answered. */
const ENDLESS_BYTES = 30_000_000
const token = 'a-token-of-32-characters-or-more'

let server: RunningServer

beforeEach(async () => {
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model: createScriptedModel([]) }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    token,
    limits: { maxBodyBytes: MAX_BODY_BYTES },
  })
  server = await serve({ handler, port: 0 })
})

afterEach(async () => {
  await server.close()
})

interface Refusal {
  readonly status: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

interface Sent extends Refusal {
  readonly bytes: number
  readonly isDeclared: boolean
}

const authorization = `Bearer ${token}`
const json = { authorization, 'content-type': 'application/json' }

/** Requests that are answered before their body is read. */
const refusals: readonly Refusal[] = [
  { status: 400, path: '/agent/run', headers: { ...json, host: '256.1.1.1' } },
  { status: 400, path: '/a\\b', headers: json },
  { status: 401, path: '/agent/run', headers: { 'content-type': 'application/json' } },
  { status: 403, path: '/agent/run', headers: { ...json, host: 'evil.example' } },
  { status: 404, path: '/nowhere', headers: json },
  { status: 405, path: '/health', headers: json },
  { status: 415, path: '/agent/run', headers: { authorization, 'content-type': 'text/plain' } },
]

const sizes = [100, 70_000, 600_000, 4_000_000] as const

const sentOf = (refusal: Refusal): readonly Sent[] =>
  sizes.flatMap((bytes) => [true, false].map((isDeclared) => ({ ...refusal, bytes, isDeclared })))

const tooLarge: Sent = {
  status: 413,
  path: '/agent/run',
  headers: json,
  bytes: 300_000,
  isDeclared: true,
}

async function read(outgoing: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  // The rest of a refused body may meet a closed connection; only the response counts.
  outgoing.on('error', () => {})
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response
}

function send(agent: Agent, { path, headers, bytes, isDeclared }: Sent): Promise<IncomingMessage> {
  const length = isDeclared ? { 'content-length': String(bytes) } : {}
  const outgoing = httpRequest(server.url, {
    agent,
    method: 'POST',
    path,
    headers: { ...headers, ...length },
  })
  outgoing.end(Buffer.alloc(bytes, 'a'))
  return read(outgoing)
}

function askHealth(agent: Agent): Promise<IncomingMessage> {
  const outgoing = httpRequest(`${server.url}/health`, { agent })
  outgoing.end()
  return read(outgoing)
}

/** Sends a request that is refused, then valid ones at once and later, on the same connection if it is kept. */
async function sendBoth(refused: Sent): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    expect((await send(agent, refused)).statusCode).toBe(refused.status)
    expect((await askHealth(agent)).statusCode).toBe(200)
    // If a server closes an announced connection, it does so within a moment.
    await setTimeout(700)
    expect((await askHealth(agent)).statusCode).toBe(200)
  } finally {
    agent.destroy()
  }
}

describe('a request after a rejected one', () => {
  test.each(refusals)('$status $path is answered', async (refusal) => {
    await Promise.all(sentOf(refusal).map(sendBoth))
  })

  test('is answered 20 of 20 times after an oversized body', async () => {
    await Promise.all(Array.from({ length: 20 }, () => sendBoth(tooLarge)))
  })

  test('is answered through fetch, on any connections that it keeps', async () => {
    for (let round = 0; round < 40; round++) {
      const body = 'a'.repeat([100, 70_000, 600_000, 2_000_000][round % 4] ?? 0)
      const refused = await fetch(`${server.url}/agent/run`, { method: 'POST', body })
      expect(refused.status).toBe(401)
      await refused.text()
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
    }
  })
})

/** A raw client, and all received data. */
async function open(): Promise<{ readonly socket: Socket; readonly text: () => string }> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (data) => (text += data.toString()))
  await once(socket, 'connect')
  return { socket, text: () => text }
}

const head = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
const health = 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n'

describe('a connection', () => {
  test('is kept when the rest of a rejected body is short, and answers the requests after it', async () => {
    const { socket, text } = await open()
    socket.write(head('/agent/run', 200_000))
    await expect.poll(text).toContain('401 Unauthorized')
    expect(text().toLowerCase()).toContain('connection: keep-alive')
    socket.write(Buffer.alloc(200_000, 'a'))
    socket.write(health)
    await expect.poll(text).toContain('200 OK')
    socket.destroy()
  })

  test('is kept through many rejections without leftover listeners', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const { socket, text } = await open()
    for (let count = 1; count <= 20; count++) {
      socket.write(head('/agent/run', 100_000))
      socket.write(Buffer.alloc(100_000, 'a'))
      await expect.poll(() => text().split('401 Unauthorized').length - 1).toBe(count)
    }
    socket.destroy()
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('is announced to close, ended, and not reset while a long body is being sent', async () => {
    const { socket, text } = await open()
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error))
    socket.write(head('/agent/run', ENDLESS_BYTES))
    const ended = once(socket, 'end')
    for (let sent = 0; sent < ENDLESS_BYTES / 2; sent += 65_536) {
      if (!socket.write(Buffer.alloc(65_536, 'a'))) await once(socket, 'drain')
    }
    await ended
    expect(text()).toMatch(/^HTTP\/1\.1 401 /)
    expect(text().toLowerCase()).toContain('connection: close')
    expect(text()).toContain('"code":"unauthorized"')
    socket.destroy()
    expect(errors).toEqual([])
  })

  test('answers nothing after its close was announced', async () => {
    const { socket, text } = await open()
    const length = 2_000_000
    socket.on('error', () => {})
    socket.write(head('/agent/run', length))
    await expect.poll(text).toContain('401 Unauthorized')
    socket.end(Buffer.concat([Buffer.alloc(length, 'a'), Buffer.from(health)]))
    await once(socket, 'close')
    expect(text()).not.toContain('200 OK')
  })

  test.each([
    ['no request', 'NOT HTTP\r\n\r\n', '400 Bad Request'],
    ['a long header', `GET / HTTP/1.1\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`, '431 '],
  ])('that sends %s is answered and ended', async (_, request, status) => {
    const { socket, text } = await open()
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error))
    socket.write(request)
    await once(socket, 'end')
    expect(text()).toContain(status)
    expect(JSON.parse(text().split('\r\n\r\n')[1] ?? '')).toMatchObject({
      error: { code: 'bad_request' },
    })
    socket.destroy()
    expect(errors).toEqual([])
  })
})

test('a handler that answers before it has read the body still gets the complete body', async () => {
  const bytes = 3_000_000
  let received = 0
  const handler = {
    fetch: (request: Request) => {
      const count = async (controller: ReadableStreamDefaultController): Promise<void> => {
        for await (const chunk of request.body ?? []) received += chunk.length
        controller.enqueue(new TextEncoder().encode(`data: ${received}\n\n`))
        controller.close()
      }
      const body = new ReadableStream({ start: (controller) => void count(controller) })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  }
  const echo = await serve({ handler, port: 0 })
  try {
    const body = new Uint8Array(bytes)
    const response = await fetch(echo.url, { method: 'POST', body })
    expect(await response.text()).toBe(`data: ${bytes}\n\n`)
  } finally {
    await echo.close()
  }
})
