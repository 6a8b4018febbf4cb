import { afterEach, describe, expect, test } from 'vitest'
import { openCommandServer, session } from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import type { Handler } from '../handler.ts'
import { bytesOf } from '../sessions/quota.ts'

const handlers: Handler[] = []
const polling = { timeout: 20_000 }

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

interface Answer {
  readonly status: number
  readonly ids: readonly string[]
  readonly reason: string | undefined
}

type Upload = (
  texts: readonly string[],
  fields?: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/** A server on a store, and its uploads; an empty field is omitted. */
function open(store: Store = createMemoryStore()) {
  const server = openCommandServer(store)
  handlers.push(server.handler)
  const upload: Upload = async (texts, fields = {}, headers = {}) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ agent_uuid: session, ...fields }))
      if (value !== '') body.set(name, value)
    for (const text of texts) body.append('files', new File([text], 'a.txt'))
    const request = new Request('http://localhost/agent/upload', { method: 'POST', headers, body })
    const response = await server.handler.fetch(request)
    const { files = [], error } = (await response.json()) as {
      readonly files?: readonly { readonly id: string }[]
      readonly error?: { readonly reason?: string }
    }
    return { status: response.status, ids: files.map(({ id }) => id), reason: error?.reason }
  }
  const bytes = async () => bytesOf(store, await store.info(session))
  return { ...server, store, upload, bytes }
}

const keyed = { message_id: 'u1' }

describe('[CMD-2] the same key of an upload', () => {
  test('with the same files stores and counts them once, in the form or the header, on any server', async () => {
    const { store, upload, bytes } = open()
    const other = open(store)
    const first = await upload(['one', 'three'], keyed)
    expect(first).toMatchObject({ status: 200 })
    expect(new Set(first.ids).size).toBe(2)
    expect(await upload(['one', 'three'], {}, { 'idempotency-key': 'u1' })).toEqual(first)
    expect(await other.upload(['one', 'three'], keyed)).toEqual(first)
    expect((await store.fileIds(session)).toSorted()).toEqual(first.ids.toSorted())
    expect(await bytes()).toBe(8)
  })

  test('with other files is refused, and nothing is stored', async () => {
    const { store, upload, bytes } = open()
    const { ids } = await upload(['one'], keyed)
    const refused = { status: 409, reason: 'key_reused' }
    expect(await upload(['two'], keyed)).toMatchObject(refused)
    expect(await upload(['one', 'two'], keyed)).toMatchObject(refused)
    expect(await store.fileIds(session)).toEqual(ids)
    expect(await bytes()).toBe(3)
  })

  test('sent at once stores one of different files, and the same files once', async () => {
    const { store, upload, bytes } = open()
    const other = open(store)
    const sent = [upload, other.upload].flatMap((send) => [
      send(['one'], keyed),
      send(['two'], keyed),
      send(['one'], keyed),
    ])
    const answers = await Promise.all(sent)
    const taken = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ reason }) => reason === 'key_reused')
    expect(taken.length + refused.length).toBe(6)
    expect(new Set(taken.flatMap(({ ids }) => ids)).size).toBe(1)
    expect(await store.fileIds(session)).toEqual(taken[0]?.ids)
    expect(await bytes()).toBe(3)
  })

  test('stores the files that a failed request has not stored', async () => {
    const memory = createMemoryStore()
    let left = 1
    const failing: Store = {
      ...memory,
      putFile: async (...given) => {
        if (left-- === 0) throw new Error('the disk is full')
        await memory.putFile(...given)
      },
    }
    const { upload, bytes } = open(failing)
    expect((await upload(['one', 'three'], keyed)).status).toBe(503)
    expect(await memory.fileIds(session)).toHaveLength(1)
    const { ids } = await upload(['one', 'three'], keyed)
    expect((await memory.fileIds(session)).toSorted()).toEqual(ids.toSorted())
    expect(await bytes()).toBe(8)
  })

  test('counts once during a run, on its server and on another', async () => {
    const { store, gate, ask, upload, bytes } = open()
    const other = open(store)
    const run = await ask('hold')
    const [one, two] = [
      await upload(['one'], keyed),
      await other.upload(['three'], { message_id: 'u2' }),
    ]
    expect(await other.upload(['one'], keyed)).toEqual(one)
    expect(await upload(['three'], { message_id: 'u2' })).toEqual(two)
    expect((await upload(['two'], keyed)).reason).toBe('key_reused')
    await expect.poll(async () => (await store.info(session))?.pending, polling).toBe(0)
    gate.open()
    await run.text()
    expect(await store.fileIds(session)).toHaveLength(2)
    const after = await bytes()
    expect(await upload(['one'], keyed)).toEqual(one)
    expect(await bytes()).toBe(after)
  })

  test('counts once, though its command cannot be settled separately', async () => {
    const shared: Store = { ...createMemoryStore(), isDurable: true }
    const settle = () => Promise.reject(new Error('The connection is lost.'))
    const { handler, gate, ask, upload, bytes } = open({ ...shared, settle })
    const run = await ask('hold')
    const text = 'x'.repeat(100_000)
    await upload([text], keyed)
    await expect.poll(async () => (await shared.info(session))?.pending, polling).toBe(0)
    gate.open()
    await run.text()
    const command = JSON.stringify({ run: 1, command: { type: 'count', bytes: 100_000 } })
    await shared.submit(session, { key: 'k', body: command })
    await handler.recover()
    await expect.poll(async () => (await shared.info(session))?.pending, polling).toBe(0)
    expect(Math.floor((await bytes()) / 100_000)).toBe(2)
  })

  test('names the session in which it is valid', async () => {
    const { store, upload } = open()
    expect((await upload(['one'], { ...keyed, agent_uuid: '' })).status).toBe(400)
    expect((await upload(['one'], keyed, { 'idempotency-key': 'u2' })).status).toBe(400)
    expect((await store.list({ limit: 1, offset: 0 })).total).toBe(0)
  })
})

test('uploads without a key are stored each time', async () => {
  const { store, upload, bytes } = open()
  await upload(['one'])
  await upload(['one'])
  expect(await store.fileIds(session)).toHaveLength(2)
  expect(await bytes()).toBe(6)
})
