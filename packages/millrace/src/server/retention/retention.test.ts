import { afterEach, expect, test } from 'vitest'
import {
  type CommandServer,
  type CommandServerOptions,
  openCommandServer,
  session,
} from '../../../test/support/servers/command-server.ts'
import { createGatedStore } from '../../../test/support/stores/gated-store.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import type { RemovedSessions, TrimmedLog } from '../server-observer.ts'

const servers: CommandServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

function open(store: Store, options?: CommandServerOptions): CommandServer {
  const server = openCommandServer(store, options)
  servers.push(server)
  return server
}

test('`keep.sessions` removes no session whose prompt was acknowledged after it looked', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const server = open(store, { recovers: false })
  await (await server.ask('one')).text()
  await (await server.ask('two', { agent_uuid: crypto.randomUUID() })).text()
  const gated = createGatedStore(store)
  const look = gated.hold('info', 'after')
  const keeping = open(gated, { keep: { sessions: 1, everyMs: 5 }, recovers: false })
  await look.reached
  const asked = { prompt: 'm1', history: false, toolInput: 'buffered', whenBusy: 'queue', at: 0 }
  const body = JSON.stringify({ run: 1, command: { type: 'prompt', messageId: 'm1', ...asked } })
  await store.submit(session, { key: 'client:m1', body })
  const next = gated.hold('info', 'before')
  look.release()
  // It checks again.
  await next.reached
  await keeping.handler.close()
  next.release()
  expect(await store.pending(session)).toHaveLength(1)
  await open(store).handler.recover()
  await expect
    .poll(async () => (await store.info(session))?.head, { timeout: 20_000 })
    .toMatch(/"runs":2,.*"status":"ended"/)
})

test('`keep.sessions` reports each page of removed sessions', async () => {
  const store = createMemoryStore()
  for (let n = 0; n < 230; n++) {
    await store.open(`s${n}`)
    const head = '{"version":2,"status":"ended"}'
    await store.append({ session: `s${n}`, epoch: 1, tail: 0, lines: [], head })
  }
  const removed: unknown[] = []
  const observer = { sessionsRemoved: (one: RemovedSessions) => void removed.push(one) }
  open(store, { keep: { sessions: 10, everyMs: 5 }, observers: [observer], recovers: false })
  await expect.poll(() => removed.length).toBe(3)
  expect(removed).toMatchObject(
    [100, 100, 20].map((sessions) => ({ sessions, reason: 'sessions' })),
  )
  expect((await store.list({ limit: 1, offset: 0 })).total).toBe(10)
})

test('`keep.runs` reports the trimmed log', async () => {
  const store = createMemoryStore()
  const trimmed: TrimmedLog[] = []
  const observer = { logTrimmed: (one: TrimmedLog) => void trimmed.push(one) }
  const server = open(store, { keep: { runs: 1 }, observers: [observer] })
  await (await server.ask('one')).text()
  const first = (await store.info(session))?.tail ?? 0
  await (await server.ask('two')).text()
  await expect.poll(() => trimmed).toEqual([{ session, earliest: first + 1 }])
  expect((await store.info(session))?.earliest).toBe(first + 1)
})

test('`keep.runs` reports a log once, however often its last run pauses', async () => {
  const store = createMemoryStore()
  const trimmed: TrimmedLog[] = []
  const observer = { logTrimmed: (one: TrimmedLog) => void trimmed.push(one) }
  const server = open(store, { keep: { runs: 1 }, observers: [observer] })
  await (await server.ask('one')).text()
  const first = (await store.info(session))?.tail ?? 0
  await (await server.ask('ask')).text()
  const answer = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
  await (await server.post('tool_results', answer)).text()
  await server.handler.close()
  expect(trimmed).toEqual([{ session, earliest: first + 1 }])
})
