import { afterEach, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { resolveFile } from '../../src/client/commands/resolve-file.ts'
import { rootAgent } from '../../src/client/transcript/index.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { serve } from '../../src/node/serve.ts'
import type { HandlerOptions } from '../../src/server/handler-options.ts'
import { createMillrace } from '../../src/server/in-process/create-millrace.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import { call, text, tool } from '../support/agents/agent-harness.ts'
import { createScriptedModel } from '../support/agents/scripted-model.ts'

const picture = new Uint8Array(4_000).fill(7)
picture.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Creates a server whose agent draws a picture that is stored as a file. */
function createMill(options: Partial<HandlerOptions> = {}) {
  const data = Buffer.from(picture).toString('base64')
  const draw = tool('draw', () => ({ images: [{ mediaType: 'image/png', data }] }))
  const model = createScriptedModel([{ content: [call('c1', 'draw')] }, { content: [text('ok')] }])
  const painter = createAgent({ name: 'painter', model, tools: [draw] })
  return createMillrace({
    agents: { painter },
    defaultAgent: 'painter',
    store: createMemoryStore(),
    ...options,
  })
}

/** Runs a prompt with the client library; returns the address of the picture of its page. */
async function draw(url: string) {
  const session = createSession({ url, retryDelayMs: 1 })
  await session.run('draw')
  const blocks = [...(rootAgent(session.getSnapshot().transcript)?.blocks ?? [])]
  const images = blocks.flatMap(({ result }) => result?.images ?? [])
  session.close()
  return { session, address: resolveFile(session, String(images[0]?.src)) }
}

async function readBytes(address: string): Promise<Uint8Array> {
  const response = await fetch(address)
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

test('a server under a base path serves the client library and the files of its sessions', async () => {
  const { url, close } = await serve(createMill({ basePath: '/api/mill' }), { port: 0 })
  closing.push(close)
  const { session, address } = await draw(`${url}/api/mill/`)
  expect(address).toMatch(`${url}/api/mill/agent/${session.id}/images/`)
  expect(await readBytes(address)).toEqual(picture)
  expect((await fetch(`${url}/api/mill/health`)).status).toBe(200)
  const described = (await (await fetch(`${url}/api/mill/openapi.json`)).json()) as object
  expect(described).toMatchObject({ servers: [{ url: '/api/mill' }] })
  for (const path of ['/health', '/agent/sessions', '/api/mill', '/api/millx/health'])
    expect((await fetch(url + path)).status).toBe(404)
})

test('a token protects the routes under a base path, except the open ones', async () => {
  const mill = createMill({ basePath: '/api', token: 'secret' })
  closing.push(mill.close)
  const statusOf = async (path: string) =>
    (await mill.fetch(new Request(`http://localhost${path}`))).status
  expect(await statusOf('/api/health')).toBe(200)
  for (const path of ['/api/agent/sessions', '/health', '/agent/sessions'])
    expect(await statusOf(path)).toBe(401)
})

test('a server behind a proxy that removes a prefix serves files to the client library and to other formats', async () => {
  const mill = createMill({ publicUrl: '/outer' })
  const proxy = {
    fetch: (request: Request) =>
      mill.fetch(new Request(request.url.replace('/outer', ''), request)),
    close: mill.close,
  }
  const { url, close } = await serve(proxy, { port: 0 })
  closing.push(close)
  const { session, address } = await draw(`${url}/outer`)
  expect(await readBytes(address)).toEqual(picture)

  const stream = `${url}/outer/agent/${session.id}/stream?format=ai-sdk`
  const events = await (await fetch(stream)).text()
  const [shown] = /\/outer\/agent\/[\w-]+\/images\/\w+/.exec(events) ?? []
  expect(await readBytes(url + String(shown))).toEqual(picture)
  // The log is the same behind any address.
  const log = await (await fetch(`${url}/outer/agent/${session.id}/stream`)).text()
  expect(log).toContain(`"src":"/agent/${session.id}/images/`)
})

test('a page of another origin gets absolute addresses in other formats', async () => {
  const mill = createMill({ publicUrl: 'https://mill.example/api' })
  closing.push(mill.close)
  const { session, result } = await mill.sessions.start('draw')
  await result
  for (const format of ['ai-sdk', 'ag-ui', 'raw']) {
    const url = `http://localhost/agent/${session}/stream?format=${format}`
    const events = await (await mill.fetch(new Request(url))).text()
    expect(events).toContain(`https://mill.example/api/agent/${session}/images/img_`)
  }
})

test.each([
  { basePath: 'api' },
  { basePath: '/api/' },
  { basePath: '/a b' },
  { publicUrl: 'mill.example' },
  { publicUrl: 'https://mill.example/' },
  { publicUrl: 'javascript:alert(1)' },
])('%j is refused', (options) => expect(() => createMill(options)).toThrow('must be a'))

test('addresses that no server stores are left as they are', () => {
  const session = { id: 's', options: { url: 'https://mill.example' } }
  for (const place of ['https://a.example/x.png', 'data:image/png;base64,AA', '/agent/../x', ''])
    expect(resolveFile(session, place)).toBe(place)
})
