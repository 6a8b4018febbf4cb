import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandServer,
  openCommandServer,
  session,
} from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'

const servers: CommandServer[] = []

afterEach(async () => {
  for (const { gate } of servers) gate.open()
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

/** A store that records which collections of parts are read, and how many frames. */
function createCounted(store: Store) {
  let parts: string[] = []
  let frames = 0
  const counted: Store = {
    ...store,
    parts: (...given) => {
      const [, collection, { limit }] = given
      parts.push(`${collection} ${limit}`)
      return store.parts(...given)
    },
    read: async (...given) => {
      const found = await store.read(...given)
      frames += found.length
      return found
    },
  }
  const take = () => {
    const taken = { parts, frames }
    parts = []
    frames = 0
    return taken
  }
  return { counted, take }
}

/** A session with a long conversation, and a server beside the one that has its runs. */
async function open(prompt: 'go' | 'hold') {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const { counted, take } = createCounted(store)
  const [own, other] = [counted, counted].map((one) => {
    const server = openCommandServer(one, { recovers: false })
    servers.push(server)
    return server
  }) as [CommandServer, CommandServer]
  for (let run = 0; run < 40; run++) await (await own.ask(`go ${'x'.repeat(10_000)}`)).text()
  const last = await own.ask(prompt)
  if (prompt === 'go') await last.text()
  await expect
    .poll(async () => (await store.parts(session, 'lane:0', all)).length)
    .toBeGreaterThan(80)
  const { tail = 0 } = (await store.info(session)) ?? {}
  take()
  const paths = [
    `agent/${session}`,
    'agent/sessions',
    `agent/${session}/stream?cursor=${tail}`,
    'health',
  ]
  const readsOf = async ({ handler }: CommandServer, path: string) => {
    const response = await handler.fetch(new Request(`http://localhost/${path}`))
    expect([200, 204]).toContain(response.status)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream && prompt === 'hold') await response.body?.cancel()
    else await response.text()
    return take()
  }
  return { own, other, paths, readsOf }
}

const all = { after: -1, limit: 10_000 }

describe('of a long conversation', () => {
  test.each(['own', 'other'] as const)(
    'a look, a list, a reconnect at the tail and a health check read the head only, on its %s server',
    async (which) => {
      const { paths, readsOf, [which]: server } = await open('go')
      for (const path of paths)
        expect(await readsOf(server, path)).toEqual({ parts: [], frames: 0 })
    },
  )

  test.each(['own', 'other'] as const)(
    'during a run a look reads the pending calls too, and the others read the head only, on its %s server',
    async (which) => {
      const { paths, readsOf, [which]: server } = await open('hold')
      for (const path of paths) {
        const { parts, frames } = await readsOf(server, path)
        expect(parts).toEqual(path === `agent/${session}` ? ['own:record 1'] : [])
        expect(frames).toBeLessThanOrEqual(1)
      }
    },
  )
})
