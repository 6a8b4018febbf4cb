import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { serve } from './serve.ts'

const stream = (pieces: AsyncIterable<string>, onCancel = () => {}): Response => {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

test('a handler gets standard requests and its responses arrive', async () => {
  const handler = {
    fetch: async (request: Request) => {
      const copy = new Request(request)
      return Response.json({ path: new URL(copy.url).pathname, text: await copy.text() })
    },
  }
  const server = await serve({ handler, port: 0 })
  try {
    const response = await fetch(`${server.url}/a`, { method: 'POST', body: 'hello' })
    expect(await response.json()).toEqual({ path: '/a', text: 'hello' })
  } finally {
    await server.close()
  }
})

test('runs of an earlier server are recovered, unless that is left to the caller', async () => {
  let sweeps = 0
  const handler = { fetch: () => new Response(''), recover: async () => sweeps++ }
  for (const [options, expected] of [
    [{}, 1],
    [{ recovers: false }, 1],
  ] as const) {
    const server = await serve({ handler, port: 0, ...options })
    await server.close()
    expect(sweeps).toBe(expected)
  }
})

test('next to a page, a browser gets the page for an unknown address, and programs get JSON', async () => {
  const error = { code: 'not_found', message: 'There is no <b> & co.' }
  const handler = { fetch: () => Response.json({ error }, { status: 404 }) }
  const html = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
  const folder = fileURLToPath(new URL('log', import.meta.url))
  const server = await serve({ handler, port: 0, page: folder })
  const bare = await serve({ handler, port: 0 })
  try {
    const page = await fetch(`${server.url}/foo`, html)
    expect(page.status).toBe(404)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await page.text()
    expect(text).toContain('There is no &lt;b&gt; &amp; co.')
    expect(text).toContain('<a href="/">')
    expect(await (await fetch(`${server.url}/foo`)).json()).toEqual({ error })
    expect(await (await fetch(`${bare.url}/foo`, html)).json()).toEqual({ error })
  } finally {
    await Promise.all([server.close(), bare.close()])
  }
})

test('a taken port is explained', async () => {
  const handler = { fetch: () => new Response('') }
  const server = await serve({ handler, port: 0 })
  try {
    const second = serve({ handler, port: server.port })
    await expect(second).rejects.toThrow(/The port is already in use/)
  } finally {
    await server.close()
  }
})

test.each([
  ['no-such-name.invalid', /Could not listen on no-such-name\.invalid:0\. .*such as 127\.0\.0\.1/],
  ['192.0.2.1', /This machine does not have that address/],
])('a host that cannot be listened on, %s, is explained', async (host, words) => {
  const handler = { fetch: () => new Response('') }
  await expect(serve({ handler, port: 0, host })).rejects.toThrow(words)
})

test('a stream arrives as it is produced', async () => {
  let resume = (): void => {}
  async function* pieces(): AsyncGenerator<string> {
    yield 'data: 1\n\n'
    await new Promise<void>((resolve) => (resume = resolve))
    yield 'data: 2\n\n'
  }
  const server = await serve({ handler: { fetch: () => stream(pieces()) }, port: 0 })
  try {
    const response = await fetch(server.url)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('data: 1\n\n')
    resume()
    expect((await reader.read()).value).toBe('data: 2\n\n')
    expect((await reader.read()).done).toBe(true)
  } finally {
    await server.close()
  }
})

test('a stream without a first chunk has its headers sent', async () => {
  let resume = (): void => {}
  async function* pieces(): AsyncGenerator<string> {
    await new Promise<void>((resolve) => (resume = resolve))
    yield 'data: 1\n\n'
  }
  const server = await serve({ handler: { fetch: () => stream(pieces()) }, port: 0 })
  try {
    const response = await fetch(server.url)
    expect(response.status).toBe(200)
    resume()
    expect(await response.text()).toBe('data: 1\n\n')
  } finally {
    await server.close()
  }
})

test('a stream that fails before its first chunk sends no headers', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield* []
    throw new Error('no')
  }
  const server = await serve({ handler: { fetch: () => stream(failing()) }, port: 0 })
  try {
    await expect(fetch(server.url)).rejects.toThrow()
  } finally {
    await server.close()
  }
})

test('a reader that reads nothing is disconnected, with a small buffer', async () => {
  let made = 0
  let isCancelled = false
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      made++
      yield `data: ${'x'.repeat(32_000)}\n\n`
    }
  }
  const handler = { fetch: () => stream(endless(), () => (isCancelled = true)) }
  const server = await serve({ handler, port: 0, stallTimeoutMs: 100 })
  const socket = connect(server.port, '127.0.0.1')
  try {
    socket.pause()
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => isCancelled, { timeout: 5_000 }).toBe(true)
    // The buffer of the kernel is not bounded by Millrace: some megabytes at most, of an endless
    // stream.
    expect(made).toBeLessThan(1_000)
  } finally {
    socket.destroy()
    await server.close()
  }
})

test('closing ends idle and open connections', async () => {
  async function* silent(): AsyncGenerator<string> {
    yield ': hello\n\n'
    await new Promise(() => {})
  }
  const handler = { fetch: () => stream(silent()) }
  const server = await serve({ handler, port: 0, closeGraceMs: 20 })
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')
  await server.close()
  expect(socket.closed || (await once(socket, 'close').then(() => true))).toBe(true)
})

test('every 500 reports its cause to the server, and none of it to the client', async () => {
  const cause = new Error('the token=abc123def456 broke')
  const errors: unknown[] = []
  const handler = { fetch: () => Promise.reject(cause) }
  const server = await serve({ handler, port: 0, onError: (error) => errors.push(error) })
  try {
    const response = await fetch(server.url)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('broke')
    expect(errors).toEqual([cause])
  } finally {
    await server.close()
  }
})
