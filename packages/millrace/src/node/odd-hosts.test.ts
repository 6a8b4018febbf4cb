import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScriptedModel } from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import { createHandler } from '../server/handler.ts'
import { createMemoryStore } from '../stores/memory/memory-store.ts'
import type { RunningServer } from './listen.ts'
import { serve } from './serve.ts'

const errors: unknown[] = []
let server: RunningServer

beforeAll(async () => {
  const onError = (error: unknown): void => void errors.push(error)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model: createScriptedModel([]) }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    onError,
  })
  server = await serve({ handler, port: 0, onError })
})

afterAll(async () => {
  await server.close()
})

/** Returns the status and the body of a response to a request with this host, sent unchanged. */
async function ask(host: string, path = '/health'): Promise<{ status: number; text: string }> {
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  let text = ''
  socket.setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (data) => (text += String(data)))
  socket.write(
    Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`, 'latin1'),
  )
  await once(socket, 'close')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text }
}

test.each([
  '256.1.1.1',
  '256.1.1.1:8787',
  '1.2.3.4.5',
  '999.999.999.999',
  '[::1',
  '[zz]',
  'localhost:99999',
  'a b',
  'localhost@evil.example',
  'localhost/..',
])('%s is a bad request on every route', async (host) => {
  for (const path of ['/health', '/openapi.json', '/agent/sessions', '/nowhere']) {
    const { status, text } = await ask(host, path)
    expect(status).toBe(400)
    expect(text).toContain('"code":"bad_request"')
  }
  expect(errors).toEqual([])
})

const octet = fc.integer({ min: 0, max: 999 }).map(String)
const port = fc.option(fc.integer({ min: 0, max: 99_999 }))
const name = fc.oneof(
  fc.array(octet, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('.')),
  fc.constantFrom('localhost', 'LOCALHOST', 'x.localhost', '[::1]', '[::ffff:1.2.3.4]', '0x7f.1'),
  fc.string({ maxLength: 20, unit: 'binary' }).map((text) => text.replace(/[\r\n\0]/g, '')),
  fc.domain(),
  fc.stringMatching(/^[[\]:@%#?/\\.a-f0-9_~!-]{0,24}$/),
)

test('no host causes a server error', async () => {
  const host = fc.tuple(name, port).map(([text, at]) => (at === null ? text : `${text}:${at}`))
  await fc.assert(
    fc.asyncProperty(host, async (text) => {
      const { status } = await ask(text)
      expect([200, 400, 403]).toContain(status)
    }),
    { numRuns: process.env['MILLRACE_NIGHTLY'] === '1' ? 20_000 : 300 },
  )
  expect(errors).toEqual([])
})

test('the cause of an unexpected failure is reported', async () => {
  const causes: unknown[] = []
  const cause = new Error('the mill is on fire')
  const fetch = (): Response => {
    throw cause
  }
  const failing = await serve({
    handler: { fetch },
    port: 0,
    onError: (error) => causes.push(error),
  })
  try {
    const response = await globalThis.fetch(failing.url)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('fire')
    expect(causes).toEqual([cause])
  } finally {
    await failing.close()
  }
})
