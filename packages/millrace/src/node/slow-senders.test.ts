import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createScriptedModel } from '../../test/support/scripted-model.ts'
import { createAgent } from '../agent/index.ts'
import { createHandler, createMemoryStore } from '../server/index.ts'
import { serve } from './serve.ts'

const head = [
  'POST /agent/upload HTTP/1.1',
  'host: localhost',
  'content-type: multipart/form-data; boundary=b',
  'content-length: 1000000',
  '',
  '--b',
].join('\r\n')

/** Begins to send a form and then says nothing more; gives what came back until the connection was closed. */
async function sendSlowly(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (piece) => (answer += piece.toString()))
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(head)
  await once(socket, 'close')
  return answer
}

test('those who hold all places for files and send nothing are cut with 408, and the places are free again', async () => {
  const errors: unknown[] = []
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model: createScriptedModel([]) }) },
    defaultAgent: 'miller',
    store: createMemoryStore(),
    limits: { maxUploads: 2, bodyIdleTimeoutMs: 1_500 },
    onError: (error) => errors.push(error),
  })
  const server = await serve({ handler, port: 0 })
  try {
    const upload = async (): Promise<number> => {
      const body = new FormData()
      body.append('files', new File(['bread'], 'a.txt'))
      const response = await fetch(`${server.url}/agent/upload`, { method: 'POST', body })
      await response.text()
      return response.status
    }
    const slow = Promise.all([sendSlowly(server.port), sendSlowly(server.port)])
    await expect.poll(upload, { interval: 10, timeout: 10_000 }).toBe(503)
    for (const answer of await slow) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /)
      expect(answer).toContain('"code":"request_timeout"')
    }
    expect(await upload()).toBe(200)
    expect(errors).toEqual([])
  } finally {
    await server.close()
  }
})
