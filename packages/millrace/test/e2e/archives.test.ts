import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { exportSession } from '../../src/server/archive/export-session.ts'
import { importSession } from '../../src/server/archive/import-session.ts'
import { createMemoryStore } from '../../src/stores/memory/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import {
  createTestServers,
  endlessPace,
  longAnswer,
  pendingIds,
} from '../support/servers/test-servers.ts'
import { payloadOf, readStream } from '../support/frames/read-stream.ts'
import { type SharedPlace, storeKinds } from '../support/stores/store-kinds.ts'

const testServers = createTestServers()
afterEach(testServers.close)

async function* toLines(archive: readonly string[]): AsyncGenerator<string> {
  for (const line of archive) yield line.trimEnd()
}

async function exported(store: Store, session: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportSession(store, session)) lines.push(line)
  return lines
}

/** The bytes of a log. */
const readHex = async (store: Store, session: string): Promise<string[]> =>
  (await store.read(session, 0, 10_000)).map(({ line }) => Buffer.from(line).toString('hex'))

/** A store returns files in any order. */
const sorted = (archive: readonly string[]): string[] => [...archive].sort()

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: { code?: string }) => error.code,
  )

/** Three sessions: one with an image, sub-agents and files, one that waits for an answer, one with several runs. */
async function fill(store: Store) {
  const server = await testServers.open({ store, recovers: true })
  const pictured = await server.ask('/demo chart')
  await server.ask('/demo subagents', { agent_uuid: pictured.session }).catch(() => {})
  const form = new FormData()
  form.set('agent_uuid', pictured.session)
  form.set('files', new Blob(['words'], { type: 'text/plain' }), 'ü.txt')
  await fetch(`${server.url}/agent/upload`, { method: 'POST', body: form })
  const waiting = await server.ask('/demo frontend')
  const talk = await server.ask('hello')
  await server.ask('again', { agent_uuid: talk.session })
  await store.submit(talk.session, { key: 'late', body: '{"run":9,"command":{"type":"stop"}}' })
  await store.settle(talk.session, { key: 'late', body: 'void' })
  return { pictured: pictured.session, talk: talk.session, waiting }
}

describe('the archive of a session', () => {
  let source: SharedPlace
  let store: Store
  let filled: Awaited<ReturnType<typeof fill>>
  beforeAll(async () => {
    const sqlite = storeKinds.find(({ name }) => name === 'sqlite')
    if (sqlite === undefined) throw new Error('There is no SQLite.')
    source = await sqlite.open()
    store = source.connect()
    filled = await fill(store)
  }, 60_000)
  afterAll(() => source.close())

  describe.each(storeKinds)('is moved from SQLite to $name and back', ({ missing, open }) => {
    test.skipIf(missing !== '')(
      `byte for byte, and its runs continue there${missing}`,
      async () => {
        const [place, other] = [await open(), await storeKinds[1]?.open()]
        const [target, back] = [place.connect(), other?.connect()]
        if (back === undefined) throw new Error('unreachable')
        for (const session of [filled.pictured, filled.waiting.session, filled.talk]) {
          const archive = await exported(store, session)
          await importSession(target, toLines(archive))
          const again = await exported(target, session)
          expect(sorted(again)).toEqual(sorted(archive))
          await importSession(back, toLines(again))
          expect(sorted(await exported(back, session))).toEqual(sorted(archive))
          expect(await readHex(target, session)).toEqual(await readHex(store, session))
        }
        const server = await testServers.open({ store: target, recovers: true })
        const [call = ''] = pendingIds(filled.waiting)
        const answered = await server.answer(filled.waiting.session, { [call]: 'yes' })
        expect(payloadOf(answered, 'meta_end')).toMatchObject({ stop_reason: 'end_turn' })
        const third = await server.ask('third', { agent_uuid: filled.talk })
        expect(payloadOf(third, 'meta_end')).toMatchObject({ stop_reason: 'end_turn' })
        const path = `/agent/${filled.talk}/conversations`
        const history = (await (await server.get(path)).json()) as { conversations: object[] }
        expect(history.conversations.length).toBe(3)
        expect(server.errors).toEqual([])
        await testServers.close()
        await place.close()
        await other?.close()
      },
      60_000,
    )
  })

  const [redis, postgres] = ['redis', 'postgres'].map((kind) =>
    storeKinds.find(({ name }) => name === kind),
  )
  const missing = `${redis?.missing}${postgres?.missing}`

  test.skipIf(missing !== '')(
    `is moved from Redis to Postgres and back, byte for byte${missing}`,
    async () => {
      const places = [await redis?.open(), await postgres?.open(), await redis?.open()]
      for (const session of [filled.pictured, filled.waiting.session, filled.talk]) {
        const archive = await exported(store, session)
        let before = store
        for (const place of places) {
          const next = place?.connect() ?? before
          await importSession(next, toLines(await exported(before, session)))
          expect(sorted(await exported(next, session))).toEqual(sorted(archive))
          expect(await readHex(next, session)).toEqual(await readHex(store, session))
          before = next
        }
      }
      for (const place of places) await place?.close()
    },
    60_000,
  )

  test('is imported under another id, which replaces the old one everywhere', async () => {
    const as = crypto.randomUUID()
    const { session } = filled.waiting
    const archive = await exported(store, session)
    expect(await codeOf(importSession(store, toLines(archive)))).toBe('conflict')
    expect((await importSession(store, toLines(archive), { as })).session).toBe(as)
    const copied = await exported(store, as)
    expect(copied.join('')).not.toContain(session)
    expect(sorted(copied.map((line) => line.replaceAll(as, session)))).toEqual(sorted(archive))
    const server = await testServers.open({ store, recovers: true })
    const [call = ''] = pendingIds(filled.waiting)
    const answered = await server.answer(as, { [call]: 'yes' })
    expect(payloadOf(answered, 'meta_end')).toMatchObject({ stop_reason: 'end_turn' })
    expect(await exported(store, session)).toEqual(archive)
  })

  test('is rejected without a trace if it is truncated, changed or newer', async () => {
    const as = crypto.randomUUID()
    const archive = await exported(store, filled.pictured)
    const [start = '', ...rest] = archive
    const without = archive.filter((_, at) => at !== Math.floor(archive.length / 2))
    const newer = start.replace('"version":1', '"version":2')
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['bad_request', []],
      ['bad_request', [start]],
      ['bad_request', archive.slice(0, -1)],
      ['bad_request', archive.slice(0, Math.floor(archive.length / 2))],
      ['bad_request', without],
      ['bad_request', [...archive, rest[0] ?? '']],
      ['bad_request', ['id: 1', ...rest]],
      ['bad_request', [start, '{"type":"unknown"}', ...rest]],
      ['unsupported', [newer, ...rest]],
    ]
    for (const [code, lines] of cases) {
      expect(await codeOf(importSession(store, toLines(lines), { as }))).toBe(code)
      expect(await store.info(as)).toBeUndefined()
    }
    const { rows } = await store.list({ limit: 100, offset: 0 })
    expect(rows.map(({ session }) => session)).not.toContain(as)
  })

  test('is rejected during a run', async () => {
    const server = await testServers.open({ store, pace: endlessPace, scenarios: [longAnswer] })
    const session = crypto.randomUUID()
    const body = { agent_uuid: session, user_prompt: 'count' }
    const stream = readStream(await server.post('/agent/run', body))
    expect(await codeOf(exported(store, session))).toBe('conflict')
    await server.post(`/agent/${session}/stop`, {})
    await stream
    await expect.poll(() => codeOf(exported(store, session)), { timeout: 20_000 }).toBe('none')
    expect(await codeOf(exported(store, crypto.randomUUID()))).toBe('not_found')
  })
})

test('a trimmed log keeps its ids in an archive', async () => {
  const [memory] = storeKinds
  const [place, other] = [await memory?.open(), await memory?.open()]
  const [store, target] = [place?.connect(), other?.connect()]
  if (store === undefined || target === undefined) throw new Error('unreachable')
  const server = await testServers.open({ store })
  const { session } = await server.ask('hello')
  const { tail = 0 } = (await store.info(session)) ?? {}
  await store.trim(session, tail - 2)
  await importSession(target, toLines(await exported(store, session)))
  expect(await target.info(session)).toMatchObject({ tail, earliest: tail - 2 })
  expect(await target.read(session, tail - 3, 10)).toEqual(await store.read(session, tail - 3, 10))
  expect(await exported(target, session)).toEqual(await exported(store, session))
})

test('a session that has only files goes into another store, where a prompt can name them', async () => {
  const [memory, sqlite] = storeKinds
  const [place, other] = [await memory?.open(), await sqlite?.open()]
  const [store, target] = [place?.connect(), other?.connect()]
  if (store === undefined || target === undefined) throw new Error('unreachable')
  const session = crypto.randomUUID()
  const server = await testServers.open({ store })
  const form = new FormData()
  form.set('agent_uuid', session)
  form.set('message_id', 'u1')
  form.set('files', new Blob(['words'], { type: 'text/plain' }), 'a.txt')
  const upload = async (url: string) =>
    (await fetch(`${url}/agent/upload`, { method: 'POST', body: form })).json()
  const uploaded = (await upload(server.url)) as { files: { id: string }[] }
  const archive = await exported(store, session)
  const imported = await importSession(target, toLines(archive))
  expect(imported).toMatchObject({ session, files: 1, frames: 0, commands: 1 })
  expect(sorted(await exported(target, session))).toEqual(sorted(archive))
  const next = await testServers.open({ store: target })
  // The other store has the key of the upload, and the session can be used at once.
  expect(await upload(next.url)).toMatchObject({ files: [{ id: uploaded.files[0]?.id }] })
  expect(await target.fileIds(session)).toEqual([uploaded.files[0]?.id])
  const source = { type: 'file', file_id: uploaded.files[0]?.id }
  const prompt = [
    { type: 'text', text: 'hello' },
    { type: 'document', source },
  ]
  const asked = { agent_uuid: session, user_prompt: prompt }
  const run = await readStream(await next.post('/agent/run', asked))
  expect(payloadOf(run, 'meta_end')).toMatchObject({ stop_reason: 'end_turn' })
  // A session that was never used does not exist.
  const empty = crypto.randomUUID()
  await store.open(empty, undefined, 0)
  expect(await codeOf(exported(store, empty))).toBe('not_found')
  await other?.close()
})

test('an archive with more frames than a store keeps is refused, and leaves nothing behind', async () => {
  const store = createMemoryStore()
  const server = await testServers.open({ store })
  const { session } = await server.ask('hello')
  const { tail = 0 } = (await store.info(session)) ?? {}
  const archive = await exported(store, session)
  const small = createMemoryStore({ maxMessagesPerSession: tail - 1 })
  await expect(importSession(small, toLines(archive))).rejects.toMatchObject({
    code: 'payload_too_large',
    message: expect.stringMatching(new RegExp(`${tail} frames.*only ${tail - 1} of them`)),
  })
  expect(await small.info(session)).toBeUndefined()
  // Trimmed frames take no room.
  await store.trim(session, 2)
  const { frames } = await importSession(small, toLines(await exported(store, session)))
  expect(frames).toBe(tail - 1)
  expect(await small.info(session)).toMatchObject({ earliest: 2, tail })
})
