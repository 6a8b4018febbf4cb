import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandServer,
  type CommandServerOptions,
  openCommandServer,
} from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { SessionInfo, Store } from '../../stores/port/index.ts'

const servers: CommandServer[] = []
const poll = { timeout: 60_000 }

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

function open(store: Store, options?: CommandServerOptions): CommandServer {
  const server = openCommandServer(store, options)
  servers.push(server)
  return server
}

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A prompt in an inbox, stored by a server that died then. */
const prompt = (messageId: string): string => {
  const text = {
    prompt: messageId,
    history: false,
    toolInput: 'buffered',
    whenBusy: 'queue',
    at: 0,
  }
  return JSON.stringify({ run: 1, command: { type: 'prompt', messageId, ...text } })
}

/** Stores a session that is like another one apart from its log. */
async function copyHead(store: Store, session: string, from: string): Promise<void> {
  const { head = '' } = (await store.info(from)) as SessionInfo
  const { epoch } = await store.open(session)
  await store.append({ session, epoch, tail: 0, lines: [], head })
}

const endsIn = async (store: Store, session: string): Promise<string> =>
  (JSON.parse((await store.info(session))?.head ?? '{}') as { runs: number; status: string }).runs +
  ((await store.info(session))?.head?.includes('"status":"ended"') === true ? ' ended' : '')

describe('[CMD-4] a prompt that waits in an ended session begins,', () => {
  test('although more sessions than a sweep reads wait for users', async () => {
    const store: Store = { ...createMemoryStore({ maxSessions: 10_000 }), isDurable: true }
    const server = open(store, { recovers: false })
    await (await server.ask('ask', { agent_uuid: idOf(0) })).text()
    await (await server.ask('go', { agent_uuid: idOf(9_000) })).text()
    for (let n = 0; n < 3_299; n++) {
      if (n > 0) await copyHead(store, idOf(n), idOf(0))
      await store.submit(idOf(n), { key: 'client:m', body: prompt('m') })
    }
    await store.submit(idOf(9_000), { key: 'client:m', body: prompt('m') })
    const next = open(store, { limits: { leaseMs: 600_000 } })
    await next.handler.recover()
    await next.handler.recover()
    await expect.poll(() => endsIn(store, idOf(9_000)), poll).toBe('2 ended')
    expect(await endsIn(store, idOf(3_298))).toBe('1')
  }, 120_000)

  test('though the receiver of events is down and many sessions have undelivered ones', async () => {
    const store: Store = { ...createMemoryStore({ maxSessions: 10_000 }), isDurable: true }
    const webhooks = [{ url: 'http://127.0.0.1:1/hooks', secret: `whsec_${'A'.repeat(32)}` }]
    const limits = { leaseMs: 600_000, webhookRetryMs: 600_000 }
    const server = open(store, { webhooks, limits, onError: () => {} })
    const sessions = Array.from({ length: 250 }, (_, n) => idOf(n))
    for (const one of sessions) await (await server.ask('go', { agent_uuid: one })).text()
    // It reads each of them once, and then has recorded that they have nothing else.
    await server.handler.recover()
    for (const one of sessions)
      await expect.poll(async () => (await store.info(one))?.pending, poll).toBe(1)
    for (const one of sessions) await store.submit(one, { key: 'client:m', body: prompt('m') })
    await server.handler.recover()
    for (const one of sessions) await expect.poll(() => endsIn(store, one), poll).toBe('2 ended')
  }, 120_000)
})
