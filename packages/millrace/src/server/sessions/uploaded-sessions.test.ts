import { afterEach, expect, test } from 'vitest'
import { openCommandServer, session } from '../../../test/support/servers/command-server.ts'
import { readStream } from '../../../test/support/frames/read-stream.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Handler } from '../handler.ts'

const handlers: Handler[] = []
afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** A server with a session that has only a file. */
async function open() {
  const store = createMemoryStore()
  const server = openCommandServer(store)
  handlers.push(server.handler)
  const send = (path: string, init: RequestInit = {}) =>
    server.handler.fetch(new Request(`http://localhost/agent/${path}`, init))
  const body = new FormData()
  body.set('agent_uuid', session)
  body.append('files', new File(['words'], 'a.txt'))
  expect((await send('upload', { method: 'POST', body })).status).toBe(200)
  const read = async (path: string) => {
    const response = await send(path)
    return {
      status: response.status,
      log: response.headers.get('millrace-log'),
      ...((await response.json()) as object),
    }
  }
  const rename = (title: string) =>
    send(session, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    })
  return { ...server, store, send, read, rename }
}

test('a session that has only files is an empty one on every route', async () => {
  const { store, send, read } = await open()
  const { log } = (await store.info(session)) ?? {}
  expect(await read('sessions')).toMatchObject({ sessions: [{ agent_uuid: session }], total: 1 })
  expect(await read(session)).toMatchObject({ status: 'ended', total_runs: 0, tail: 0, log })
  expect(await read(`${session}/conversations`)).toMatchObject({ conversations: [], log })
  expect(await read(`${session}/times`)).toMatchObject({ times: [], has_more: false, log })
  expect(await read(`${session}/decisions`)).toMatchObject({ decisions: [], has_more: false, log })
  expect(await read(`${session}/branches`)).toMatchObject({ status: 200, branches: [] })
  const stream = await send(`${session}/stream`)
  expect(stream.headers.get('millrace-log')).toBe(log)
  expect(await readStream(stream)).toMatchObject({ frames: [], isDone: true })
  expect((await send(`${session}/stream?cursor=1`)).status).toBe(409)
  expect((await send(`${session}/stream?cursor=0&log=another`)).status).toBe(410)
})

test('a reader that follows it gets its first run', async () => {
  const { ask, send, log } = await open()
  const following = readFrames(await send(`${session}/stream?follow=1`))
  await (await ask('hello')).text()
  const { frames } = await log()
  expect(frames.length).toBeGreaterThan(0)
  for (const { data } of frames) expect((await following.next()).value).toBe(data)
  await following.return(undefined)
})

test('it is renamed after its first prompt, and refuses before', async () => {
  const { ask, rename, read, post } = await open()
  const refused = await rename('Files')
  expect(refused.status).toBe(409)
  expect(await refused.text()).toMatch(/first prompt/)
  expect((await post(`${session}/steer`, { user_prompt: 'x' })).status).toBe(409)
  await (await ask('hello')).text()
  expect((await rename('Files')).status).toBe(200)
  expect(await read(session)).toMatchObject({ title: 'Files' })
})

test('a session that was opened and never used does not exist', async () => {
  const { store, send } = await open()
  const unused = '10000000-0000-4000-8000-000000000000'
  await store.open(unused, undefined, 0)
  for (const path of ['', '/stream', '/times', '/decisions', '/branches', '/conversations'])
    expect((await send(`${unused}${path}`)).status).toBe(404)
})

/** Yields the data of the frames of an open stream. */
async function* readFrames({ body }: Response): AsyncGenerator<string> {
  if (body === null) throw new Error('There is no stream.')
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) yield data.slice(6)
    }
  }
}
