import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createScriptedModel } from '../../test/support/agents/scripted-model.ts'
import { createAgent } from '../agent/create-agent.ts'
import { createHandler } from '../server/handler.ts'
import { createMemoryStore } from '../stores/memory/memory-store.ts'
import type { HandlerOptions } from '../server/handler-options.ts'
import { serve } from './serve.ts'

const headOf = (header: string): string =>
  [
    'POST /agent/upload HTTP/1.1',
    'host: localhost',
    header,
    'content-type: multipart/form-data; boundary=b',
    'content-length: 1000000',
    '',
    '--b',
  ].join('\r\n')

/**
 * Begins to send a form and then stops; returns the received data until the connection was closed.
 */
async function sendSlowly(port: number, header = 'accept: */*'): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (piece) => (answer += piece.toString()))
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(headOf(header))
  await once(socket, 'close')
  return answer
}

async function start(options: Partial<HandlerOptions>) {
  const errors: unknown[] = []
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model: createScriptedModel([]) }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    onError: (error) => errors.push(error),
    ...options,
  })
  const server = await serve({ handler, port: 0 })
  const upload = async (user = 'b'): Promise<number> => {
    const body = new FormData()
    body.append('files', new File(['bread'], 'a.txt'))
    const headers = { 'x-user': user }
    const response = await fetch(`${server.url}/agent/upload`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }
  return { server, upload, errors }
}

const identify = {
  context: ({ headers }: Request) => headers.get('x-user') ?? '',
  owner: String,
}

test.each([
  ['the whole quota', { maxUploads: 2 }, 503],
  ['the quota of their address', { maxUploadsPerUser: 2 }, 429],
])(
  'clients that hold %s for files and send nothing are disconnected with 408, and their quota is released',
  async (_, limits, status) => {
    const { server, upload, errors } = await start({
      limits: { ...limits, bodyIdleTimeoutMs: 1_500 },
    })
    try {
      const slow = Promise.all([sendSlowly(server.port), sendSlowly(server.port)])
      await expect.poll(() => upload(), { interval: 10, timeout: 10_000 }).toBe(status)
      for (const answer of await slow) {
        expect(answer).toMatch(/^HTTP\/1\.1 408 /)
        expect(answer).toContain('"code":"request_timeout"')
      }
      expect(await upload()).toBe(200)
      expect(errors).toEqual([])
    } finally {
      await server.close()
    }
  },
)

test('slow uploads of one owner leave quota for others', async () => {
  const { server, upload, errors } = await start({
    ...identify,
    limits: { bodyIdleTimeoutMs: 3_000 },
  })
  try {
    const slow = Array.from({ length: 6 }, () => sendSlowly(server.port, 'x-user: a'))
    await expect.poll(() => upload('a'), { interval: 10, timeout: 10_000 }).toBe(429)
    expect(await upload('b')).toBe(200)
    const answers = await Promise.all(slow)
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 429 '))).toHaveLength(2)
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 408 '))).toHaveLength(4)
    expect(await upload('a')).toBe(200)
    expect(errors).toEqual([])
  } finally {
    await server.close()
  }
})
