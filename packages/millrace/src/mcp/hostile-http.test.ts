import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { callMounted } from '../../test/support/mcp/call-mounted.ts'
import { createHostility } from '../../test/support/mcp/hostility.mjs'
import { type McpMount, mountMcp } from './mount-mcp.ts'
import type { McpOptions } from './mcp-options.ts'

const TOKEN = 'token-5f2c9a7e'
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Answer = (response: ServerResponse, request: { method?: string; id?: number }) => boolean

/** Starts a server with a misbehaviour of `hostility.mjs`, or of HTTP if `answer` handles a request. */
function start(mode: string, answer: Answer = () => false): Promise<string> {
  return listen((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as {
        method?: string
        id?: number
      }
      if (answer(response, message)) return
      if (message.id === undefined) return void response.writeHead(202).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (reply: object) =>
        void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...reply })}\n\n`)
      createHostility(mode, send)(message)
      response.end()
    })
  })
}

async function mount(url: string, options: McpOptions = {}): Promise<McpMount> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const mounted = await mountMcp({ name: 'foe', url, headers }, options)
  closing.push(() => mounted.close())
  return mounted
}

/** Answers calls in a custom way and all other requests correctly. */
const onCall =
  (act: (response: ServerResponse, id: number | undefined) => void): Answer =>
  (response, { method, id }) => {
    if (method !== 'tools/call') return false
    act(response, id)
    return true
  }

test('does not follow a redirect to another address', async () => {
  const reached: string[] = []
  const inside = await listen((request, response) => {
    reached.push(request.headers.authorization ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  for (const status of [301, 302, 307, 308]) {
    const url = await start('', (response) => {
      response.writeHead(status, { location: `${inside}/latest/meta-data` }).end()
      return true
    })
    await expect(mount(url)).rejects.toMatchObject({ code: 'connection_lost' })
  }
  expect(reached).toEqual([])
})

test('closes the connection, with the reason, at a result, event or list that is too large', async () => {
  const maxMessageBytes = 1_000_000
  const answers: Record<string, Answer> = {
    result: onCall((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(2_000_000) }))
    }),
    event: onCall((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const pour = (): void => {
        while (response.write(`data: ${'x'.repeat(10_000)}\n`));
        response.once('drain', pour)
      }
      pour()
    }),
  }
  for (const answer of Object.values(answers)) {
    const mounted = await mount(await start('', answer), { maxMessageBytes })
    expect(await callMounted(mounted, 'foe__ok')).toMatchObject({
      isError: true,
      text: expect.stringContaining('closed: it sent a message of more than 1000000 bytes'),
    })
  }
  const list = mount(await start('long description'), { maxMessageBytes })
  await expect(list).rejects.toThrow(/more than 1000000 bytes/)
})

test('reads an event within the limit after any number of others', async () => {
  const mounted = await mount(await start('progress flood'), { maxMessageBytes: 10_000 })
  expect((await callMounted(mounted, 'foe__ok')).text).toBe('fine')
})

test.each([
  ['unknown ids', /^fine$/],
  ['duplicate answers', /^fine$/],
  ['list storm', /^fine$/],
  ['asks the client', /^fine$/],
  ['odd result', /^7$/],
  ['never answers calls', /timed out|within 1000 ms|disconnected/],
])('bounds the result of a call that ends with %s', async (mode, text) => {
  const isSilent = mode === 'never answers calls'
  const mounted = await mount(await start(mode), isSilent ? { timeoutMs: 1000 } : {})
  expect((await callMounted(mounted, 'foe__ok')).text).toMatch(text)
})

test('contains neither secrets nor markup in an error that quotes the request', async () => {
  const denied = new RegExp(`^(?!.*${TOKEN}).*Denied`, 's')
  const page = `<h1>Denied</h1><p>authorization: Bearer ${TOKEN}</p>`
  const url = await start(
    '',
    onCall((response) => void response.writeHead(500, { 'content-type': 'text/html' }).end(page)),
  )
  const { text, isError } = await callMounted(await mount(url), 'foe__ok')
  expect(isError).toBe(true)
  expect(text).toContain('Denied')
  expect(text).not.toMatch(new RegExp(`${TOKEN}|<`))
  const refused = mount(await start('', (response) => !!response.writeHead(500).end(page)))
  await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(denied) })
})
