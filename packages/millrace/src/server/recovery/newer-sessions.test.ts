import { afterEach, expect, test, vi } from 'vitest'
import {
  type CommandServer,
  type CommandServerOptions,
  openCommandServer,
} from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'

const servers: CommandServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

function open(store: Store, options?: CommandServerOptions): CommandServer {
  const server = openCommandServer(store, options)
  servers.push(server)
  return server
}

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A store with sessions of a newer version whose leases have expired, and a lost run of this version whose lease expires after them. */
async function openNewer(count: number) {
  const store: Store = { ...createMemoryStore({ maxSessions: 1_000 }), isDurable: true }
  const dying = openCommandServer(store, { recovers: false })
  await dying.ask('hold', { agent_uuid: idOf(1_000) })
  await dying.handler.close()
  const lost = (await store.info(idOf(1_000))) as SessionInfo
  const newer = (lost.head ?? '').replace('"version":2', '"version":3')
  for (let n = 0; n < count; n++) {
    const lease = { owner: 'newer', ms: -1_000 }
    const { epoch } = await store.open(idOf(n), lease)
    await store.append({ session: idOf(n), epoch, tail: 0, lines: [], head: newer })
    await store.submit(idOf(n), { key: 'k', body: 'of a newer version' })
  }
  const look = () => Promise.all(Array.from({ length: count }, (_, n) => store.info(idOf(n))))
  return { store, look, lost: idOf(1_000) }
}

test('[LOG-14] lost runs of a newer version are not changed, and hide no others', async () => {
  const { store, look, lost } = await openNewer(130)
  const before = await look()
  const server = open(store)
  expect(await server.handler.recover()).toEqual([lost])
  expect(await server.handler.recover()).toEqual([])
  expect(await look()).toEqual(before)
  expect(server.errors).toEqual([])
  server.gate.open()
})

test('commands to a session of a newer version change nothing', async () => {
  const { store, look } = await openNewer(1)
  const before = await look()
  const server = open(store)
  const refused = { error: { code: 'unsupported' } }
  const path = idOf(0)
  for (const [command, body] of [
    ['run', { agent_uuid: path, user_prompt: 'go' }],
    [`${path}/stop`, {}],
    [`${path}/steer`, { user_prompt: 'go' }],
  ] as const)
    expect(await (await server.post(command, body)).json()).toMatchObject(refused)
  const url = `http://localhost/agent/${path}`
  const removal = await server.handler.fetch(new Request(url, { method: 'DELETE' }))
  expect(await removal.json()).toMatchObject(refused)
  expect(await look()).toEqual(before)
})

test('pending commands of a session of a newer version are not executed', async () => {
  const { store, look } = await openNewer(1)
  const { epoch } = (await look())[0] as SessionInfo
  await store.append({ session: idOf(0), epoch, tail: 0, lines: [], lease: 'release' })
  const before = await look()
  const server = open(store)
  await server.handler.recover()
  await server.handler.recover()
  expect(await look()).toEqual(before)
  expect(await store.pending(idOf(0))).toHaveLength(1)
  expect(server.errors).toEqual([])
})

test('`keep.days` removes no sessions of a newer version', async () => {
  const { store, look } = await openNewer(3)
  for (const info of await look()) {
    const { session, epoch } = info as SessionInfo
    await store.append({ session, epoch, tail: 0, lines: [], lease: 'release' })
  }
  const before = await look()
  await store.open(idOf(500))
  open(store, { keep: { days: 1e-9, everyMs: 5 }, recovers: false })
  await vi.waitUntil(async () => (await store.info(idOf(500))) === undefined)
  expect(await look()).toEqual(before)
})
