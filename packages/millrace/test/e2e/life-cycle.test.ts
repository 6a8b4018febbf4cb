import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Keep } from '../../src/server/retention/retention.ts'
import type { RemovedSessions } from '../../src/server/server-observer.ts'
import {
  createTestServers,
  endlessPace,
  errorOf,
  longAnswer,
  pendingIds,
} from '../support/servers/test-servers.ts'
import type { TestServerOptions } from '../support/servers/test-server.ts'
import { payloadOf, readStream } from '../support/frames/read-stream.ts'
import { type SharedPlace, storeKinds } from '../support/stores/store-kinds.ts'

const testServers = createTestServers()
const polling = { timeout: 20_000 }

afterEach(testServers.close)

describe.each(storeKinds)('the life cycle of sessions in $name', ({ missing, open }) => {
  describe.skipIf(missing !== '')(`with all its parts${missing}`, () => {
    let place: SharedPlace
    beforeAll(async () => {
      place = await open()
    }, 60_000)
    afterAll(() => place.close())

    const openNode = async (options: TestServerOptions = {}) => {
      const limits = { leaseMs: 600_000 }
      const server = await testServers.open({
        store: place.connect(),
        limits,
        recovers: true,
        ...options,
      })
      const send = (method: string, path: string, body?: object) =>
        fetch(`${server.url}/agent/${path}`, {
          method,
          ...(body !== undefined && {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        })
      const titleOf = async (session: string): Promise<unknown> =>
        ((await (await server.get(`/agent/${session}`)).json()) as { title: string }).title
      return { ...server, send, titleOf }
    }
    type Node = Awaited<ReturnType<typeof openNode>>

    /** Starts a run that does not end by itself during a test. */
    const begin = async (node: Node) => {
      const session = crypto.randomUUID()
      const body = { agent_uuid: session, user_prompt: 'count' }
      const response = await node.post('/agent/run?compact=0', body)
      return { session, stream: readStream(response) }
    }
    /** Reads the run of a session; resolves when some frames have arrived. */
    const watch = async (node: Node, session: string) => {
      let tell = (): void => {}
      const hasCome = new Promise<void>((resolve) => (tell = resolve))
      const stream = readStream(await node.get(`/agent/${session}/stream?compact=0`), (seen) => {
        if (seen.frames.length > 3) tell()
        return false
      })
      await hasCome
      return { stream }
    }
    const slow = { pace: endlessPace, scenarios: [longAnswer] }

    test('a session is deleted with its log, history and files, and begins anew', async () => {
      const node = await openNode()
      const { session } = await node.ask('/demo chart')
      const log = (await node.get(`/agent/${session}`)).headers.get('millrace-log') ?? ''
      const form = new FormData()
      form.set('agent_uuid', session)
      form.set('files', new Blob(['words'], { type: 'text/plain' }), 'a.txt')
      const sent = await fetch(`${node.url}/agent/upload`, { method: 'POST', body: form })
      const { files } = (await sent.json()) as { files: { id: string }[] }
      const deleted = await node.send('DELETE', session)
      expect([deleted.status, await deleted.json()]).toEqual([200, { deleted: true }])
      for (const path of [session, `${session}/stream`, `${session}/conversations`]) {
        expect(await errorOf(await node.get(`/agent/${path}`))).toMatchObject({ status: 404 })
      }
      const file = await node.get(`/agent/${session}/files/${files[0]?.id}`)
      expect(file.status).toBe(404)
      const stale = await node.get(`/agent/${session}/stream?log=${log}`)
      expect(await errorOf(stale)).toMatchObject({ status: 410, code: 'log_replaced' })
      expect(await errorOf(await node.send('DELETE', session))).toMatchObject({ status: 404 })
      const again = await node.ask('/demo chart', { agent_uuid: session })
      expect(again.frames[0]?.id).toBe(1)
      expect(await (await node.get(`/agent/${session}`)).json()).toMatchObject({ total_runs: 1 })
      expect(node.errors).toEqual([])
    })

    test('an active run stops before its session is deleted, and its readers get the end', async () => {
      const node = await openNode(slow)
      const { session, stream } = await begin(node)
      const watched = await watch(node, session)
      expect((await node.send('DELETE', session)).status).toBe(200)
      for (const seen of [await stream, await watched.stream]) {
        expect(payloadOf(seen, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
        expect(seen.isDone).toBe(true)
      }
      expect((await node.get(`/agent/${session}`)).status).toBe(404)
      expect(node.errors).toEqual([])
    })

    test('queued prompts of a deleted session never begin, and their streams end', async () => {
      const node = await openNode(slow)
      const { session, stream } = await begin(node)
      await watch(node, session)
      const queued = ['m1', 'm2', 'm3'].map(async (id) => {
        const asked = { agent_uuid: session, user_prompt: 'count', message_id: id }
        return node.post('/agent/run?compact=0', { ...asked, when_busy: 'queue' })
      })
      const streams = (await Promise.all(queued)).map((response) => readStream(response))
      expect((await node.send('DELETE', session)).status).toBe(200)
      expect(payloadOf(await stream, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
      for (const seen of await Promise.all(streams))
        expect(seen).toMatchObject({ frames: [], isDone: true })
      expect((await node.get(`/agent/${session}`)).status).toBe(404)
      expect(node.errors).toEqual([])
    })

    test('a run of another server stops before its session is deleted', async () => {
      const [one, two] = [await openNode(slow), await openNode(slow)]
      const { session, stream } = await begin(one)
      expect((await two.send('DELETE', session)).status).toBe(200)
      expect(payloadOf(await stream, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
      expect((await one.get(`/agent/${session}`)).status).toBe(404)
      expect((await two.get(`/agent/${session}`)).status).toBe(404)
      const list = (await (await one.get('/agent/sessions')).json()) as {
        sessions: { agent_uuid: string }[]
      }
      expect(list.sessions.map(({ agent_uuid }) => agent_uuid)).not.toContain(session)
      expect([one.errors, two.errors]).toEqual([[], []])
    })

    test('a paused session is deleted, and its followers are disconnected', async () => {
      const node = await openNode()
      const { session } = await node.ask('/demo frontend')
      const follower = await node.get(`/agent/${session}/stream?follow=1&compact=0`)
      const followed = readStream(follower)
      expect((await node.send('DELETE', session)).status).toBe(200)
      expect((await followed).isDone).toBe(false)
      expect((await node.get(`/agent/${session}`)).status).toBe(404)
    })

    test('a session is renamed while it is idle and while it waits', async () => {
      const node = await openNode()
      const { session, ...asked } = await node.ask('/demo frontend')
      const renamed = await node.send('PATCH', session, { title: '  Trip to Rome ' })
      expect(await renamed.json()).toEqual({ agent_uuid: session, title: 'Trip to Rome' })
      expect(await node.titleOf(session)).toBe('Trip to Rome')
      const [call = ''] = pendingIds(asked)
      const answered = await node.answer(session, { [call]: 'yes' })
      expect(payloadOf(answered, 'meta_end')).toMatchObject({ stop_reason: 'end_turn' })
      expect(await node.titleOf(session)).toBe('Trip to Rome')
      await node.send('PATCH', session, { title: 'Second' })
      expect(await node.titleOf(session)).toBe('Second')
      expect((await node.watch(session)).isDone).toBe(true)
      expect(node.errors).toEqual([])
    })

    test('a session is renamed during a run, here and at another server', async () => {
      const [one, two] = [await openNode(slow), await openNode(slow)]
      const { session, stream } = await begin(one)
      expect((await one.send('PATCH', session, { title: 'First' })).status).toBe(200)
      expect(await two.titleOf(session)).toBe('First')
      expect((await two.send('PATCH', session, { title: 'Second' })).status).toBe(200)
      await expect.poll(() => two.titleOf(session), polling).toBe('Second')
      await two.post(`/agent/${session}/stop`, {})
      await stream
      expect(await one.titleOf(session)).toBe('Second')
      expect([one.errors, two.errors]).toEqual([[], []])
    })

    test('a later title of a model does not replace a chosen one', async () => {
      let give = (_: string): void => {}
      const given = new Promise<string>((resolve) => (give = resolve))
      const node = await openNode({ title: () => given })
      const { session } = await node.ask('hello')
      await node.send('PATCH', session, { title: 'Mine' })
      give('Of the model')
      await node.ask('again', { agent_uuid: session })
      expect(await node.titleOf(session)).toBe('Mine')
      expect(node.errors).toEqual([])
    })

    test('sessions beyond a number or an age are removed by the servers, except those in use', async () => {
      const removed: RemovedSessions[] = []
      const observers = [{ sessionsRemoved: (one: RemovedSessions) => void removed.push(one) }]
      const listed = async (node: Node): Promise<string[]> => {
        const page = (await (await node.get('/agent/sessions?limit=100')).json()) as {
          sessions: { agent_uuid: string }[]
        }
        return page.sessions.map(({ agent_uuid }) => agent_uuid).sort()
      }
      const [plain, busy] = [await openNode(), await openNode(slow)]
      const waiting = await plain.ask('/demo frontend')
      await plain.ask('one')
      await plain.ask('two')
      const last = await plain.ask('three')
      const running = await begin(busy)
      const count = { keep: { sessions: 2, everyMs: 20 }, observers }
      const counting = [await openNode(count), await openNode(count)]
      const kept = [waiting.session, last.session, running.session].sort()
      await expect.poll(() => listed(plain), polling).toEqual(kept)
      await Promise.all(counting.map((node) => node.close()))
      await openNode({ keep: { days: 1e-6, everyMs: 20 }, observers })
      await expect.poll(() => listed(plain), polling).toEqual([running.session])
      expect(new Set(removed.map(({ reason }) => reason))).toEqual(new Set(['sessions', 'days']))
      const total = removed.reduce((sum, { sessions }) => sum + sessions, 0)
      expect(total).toBeGreaterThanOrEqual(4)
      await busy.post(`/agent/${running.session}/stop`, {})
      expect(payloadOf(await running.stream, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
      for (const node of [plain, busy, ...counting]) expect(node.errors).toEqual([])
    })

    test('a session at its byte quota rejects prompts and files, but resumes', async () => {
      const limits = { leaseMs: 600_000, maxSessionBytes: 100_000 }
      const [one, two] = [await openNode({ limits, ...slow }), await openNode({ limits })]
      const send = (node: Node, session: string, bytes: number): Promise<Response> => {
        const form = new FormData()
        form.set('agent_uuid', session)
        form.set('files', new Blob(['x'.repeat(bytes)], { type: 'text/plain' }), 'a.txt')
        return fetch(`${node.url}/agent/upload`, { method: 'POST', body: form })
      }
      const session = crypto.randomUUID()
      expect((await send(one, session, 60_000)).status).toBe(200)
      expect(await errorOf(await send(two, session, 60_000))).toMatchObject({
        status: 413,
        code: 'payload_too_large',
        max_bytes: 100_000,
      })
      const asked = await two.ask('/demo frontend', { agent_uuid: session })
      expect((await send(two, session, 5_000)).status).toBe(200)
      const [call = ''] = pendingIds(asked)
      const answer = { [call]: 'x'.repeat(40_000) }
      expect((await two.answer(session, answer)).isDone).toBe(true)
      const body = { agent_uuid: session, user_prompt: 'more' }
      expect(await errorOf(await one.post('/agent/run', body))).toMatchObject({ status: 413 })
      expect((await send(one, session, 1)).status).toBe(413)
      // Data that is sent during a run on another server counts too, and does not end the run.
      const running = await begin(one)
      expect((await send(two, running.session, 80_000)).status).toBe(200)
      await expect
        .poll(async () => (await send(two, running.session, 30_000)).status, polling)
        .toBe(413)
      await one.post(`/agent/${running.session}/stop`, {})
      expect(payloadOf(await running.stream, 'meta_end')).toMatchObject({ stop_reason: 'aborted' })
      expect([one.errors, two.errors]).toEqual([[], []])
    })

    test('an invalid rename is rejected', async () => {
      const node = await openNode()
      const { session } = await node.ask('hello')
      for (const title of ['', '   ', 'a\nb', 'a\u0000', 'x'.repeat(121), 7]) {
        expect((await node.send('PATCH', session, { title: title as string })).status).toBe(400)
      }
      expect((await node.send('PATCH', session, {})).status).toBe(400)
      expect((await node.send('PATCH', crypto.randomUUID(), { title: 'a' })).status).toBe(404)
      expect(await node.titleOf(session)).toBe('hello')
    })
  })
})

test('a log keeps the frames of its last runs, and the history all of them', async () => {
  const node = await testServers.open({ keep: { runs: 2 } })
  const { session } = await node.ask('one')
  const others = []
  for (const prompt of ['two', 'three', 'four'])
    others.push(await node.ask(prompt, { agent_uuid: session }))
  const [, third, fourth] = others
  const earliest = Number(third?.frames[0]?.id)
  const trimmed = async () => (await node.get(`/agent/${session}/stream?cursor=0`)).status
  await expect.poll(trimmed, polling).toBe(410)
  const refused = await node.get(`/agent/${session}/stream?cursor=0`)
  expect(await errorOf(refused)).toMatchObject({ code: 'cursor_trimmed', earliest })
  expect((await node.get(`/agent/${session}/stream`)).status).toBe(410)
  const rest = await node.watch(session, earliest - 1)
  expect(rest.frames).toEqual([...(third?.frames ?? []), ...(fourth?.frames ?? [])])
  const history = await (await node.get(`/agent/${session}/conversations`)).json()
  const { conversations } = history as { conversations: { user_message: string }[] }
  expect(conversations.map((run) => run.user_message)).toEqual(['four', 'three', 'two', 'one'])
  const fifth = await node.ask('/demo frontend', { agent_uuid: session })
  const [call = ''] = pendingIds(fifth)
  const answered = await node.answer(session, { [call]: 'yes' })
  expect(payloadOf(answered, 'meta_end')).toMatchObject({ stop_reason: 'end_turn' })
  const state = async () =>
    ((await (await node.get(`/agent/${session}`)).json()) as { earliest: number }).earliest
  await expect.poll(state, polling).toBe(Number(fourth?.frames[0]?.id))
  expect(node.errors).toEqual([])
  expect(node.violations).toEqual([])
})

test.each([
  [{ days: 0 }, 'keep.days is 0'],
  [{ sessions: 1.5 }, 'a whole number above 0'],
  [{ runs: -1 }, 'keep.runs is -1'],
  [{ weeks: 3 }, 'keep.weeks is unknown'],
])('keep: %j is rejected', async (keep, words) => {
  await expect(testServers.open({ keep: keep as Keep })).rejects.toThrow(words)
})
