import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  createSharedSession,
  type SharedSessionOptions,
} from '../../src/client/transport/shared/create-shared-session.ts'
import { stopRun } from '../../src/client/commands/control-run.ts'
import type { Session } from '../../src/client/index.ts'
import { finalText } from '../../src/client/transcript/index.ts'
import { createTestClient } from '../support/servers/test-client.ts'
import { endlessPace, longAnswer, slowPace } from '../support/servers/test-servers.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { createTabWorld, type PretendedTab } from '../support/browser/tab-world.ts'

let server: TestServer
let tabs: OpenTab[] = []

interface OpenTab {
  readonly tab: PretendedTab
  readonly session: Session
}

/** On the slow test server a run lasts until it is stopped, so that a test reaches its middle on a busy machine too. */
let slowServer: TestServer

beforeAll(async () => {
  server = await openTestServer({
    pace: { ...slowPace, tokensPerSecond: 2_000 },
    scenarios: [longAnswer],
  })
  slowServer = await openTestServer({ pace: endlessPace, scenarios: [longAnswer] })
})

afterEach(() => {
  for (const { tab, session } of tabs) {
    tab.thaw()
    session.close()
  }
  tabs = []
})

afterAll(async () => {
  await server.close()
  await slowServer.close()
})

interface OpenOptions {
  readonly url: string
  readonly shareKey?: SharedSessionOptions['shareKey']
  /** Maximum silence of a stream, or of a tab that reads for others. */
  readonly idleTimeoutMs?: number
}

function open(
  world: ReturnType<typeof createTabWorld>,
  id: string,
  { url, shareKey = '', idleTimeoutMs = 10_000 }: OpenOptions = server,
): OpenTab {
  const tab = world.openTab()
  const session = createSharedSession({
    url,
    session: id,
    shareKey,
    fetch: tab.fetch,
    locks: tab.locks,
    createChannel: tab.createChannel,
    retryDelayMs: 1,
    idleTimeoutMs,
    leaderTimeoutMs: 50,
  })
  const opened = { tab, session }
  tabs.push(opened)
  return opened
}

const lastIdOf = ({ session }: OpenTab) => session.getSnapshot().transcript.lastId
const statusOf = ({ session }: OpenTab) => session.getSnapshot().transcript.status
const streams = () => tabs.reduce((sum, { tab }) => sum + tab.openStreams(), 0)
/** The open streams of the server; it detects a closed one a moment later. */
const untilReaders = ({ url }: TestServer, count: number) =>
  vi.waitUntil(
    async () => {
      const health = (await (await fetch(`${url}/health`)).json()) as { readers: number }
      return health.readers === count
    },
    { timeout: 5_000 },
  )
const under = (least: number) => async (opened: OpenTab) =>
  vi.waitUntil(() => lastIdOf(opened) >= least, { timeout: 10_000, interval: 2 })
const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 10_000 })

/** The content of a tab, whose blocks must be the same in all. */
function toSight({ session }: OpenTab) {
  const { transcript } = session.getSnapshot()
  return { status: transcript.status, lastId: transcript.lastId, text: finalText(transcript) }
}

async function expectWhole(
  opened: readonly OpenTab[],
  id: string,
  { url } = server,
): Promise<void> {
  const { tail } = (await (await fetch(`${url}/agent/${id}`)).json()) as { tail: number }
  for (const one of opened) await under(tail)(one)
  const { frames } = await createTestClient(url).watch(id)
  expect(frames.length).toBeGreaterThan(0)
  const [first, ...others] = opened.map(toSight)
  for (const other of others) expect(other).toEqual(first)
}

describe('tabs of one conversation', () => {
  test('one tab reads for all, for prompts of any tab, and the others get each frame as it arrives', async () => {
    const world = createTabWorld()
    const id = crypto.randomUUID()
    const one = open(world, id, slowServer)
    const run = one.session.run('hello')
    await under(5)(one)
    const others = [1, 2, 3].map(() => open(world, id, slowServer))
    for (const other of others) void other.session.watch()
    await Promise.all(others.map(under(lastIdOf(one) + 10)))
    await untilReaders(slowServer, 1)
    expect(streams()).toBe(1)
    expect(statusOf(one)).toBe('streaming')
    await stopRun(others[0]!.session)
    await run
    await Promise.all(tabs.map((opened) => until(() => statusOf(opened) === 'aborted')))
    await expectWhole(tabs, id, slowServer)
  })

  test('an idle tab follows prompts of another, without its own connection', async () => {
    const world = createTabWorld()
    const id = crypto.randomUUID()
    const one = open(world, id, slowServer)
    const first = one.session.run('hello')
    await under(3)(one)
    await stopRun(one.session)
    await first
    const two = open(world, id, slowServer)
    await two.session.watch()
    const run = two.session.run('again')
    await under(lastIdOf(one) + 10)(one)
    expect(streams()).toBe(1)
    expect(one.tab.openStreams()).toBe(0)
    await stopRun(one.session)
    await run
    await until(() => one.session.getSnapshot().connection.state === 'idle')
    await expectWhole(tabs, id, slowServer)
  })

  const command = fc.constantFrom('kill', 'freeze', 'join', 'wait' as const)

  test('for any opened, frozen and closed tabs, each active one shows the complete run, once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 4 }), async (commands) => {
        const world = createTabWorld()
        const id = crypto.randomUUID()
        const openHasty = () => open(world, id, { ...server, idleTimeoutMs: 400 })
        let living = [openHasty()]
        void living[0]!.session.run('hello')
        await under(5)(living[0]!)
        for (let n = 0; n < 2; n++) living.push(openHasty())
        for (const { session } of living.slice(1)) void session.watch()
        const frozen: OpenTab[] = []
        for (const next of commands) {
          const leader = living.find(({ tab }) => tab.openStreams() > 0) ?? living[0]!
          if (next === 'join') {
            living.push(openHasty())
            void living.at(-1)!.session.watch()
          } else if (next === 'kill' && living.length > 1) {
            leader.tab.kill()
            leader.session.close()
            living = living.filter((other) => other !== leader)
          } else if (next === 'freeze' && living.length > 1) {
            leader.tab.freeze()
            frozen.push(leader)
            living = living.filter((other) => other !== leader)
          }
          const least = Math.min(...living.map(lastIdOf)) + 15
          await Promise.all(
            living.map((one) => until(() => lastIdOf(one) > least || statusOf(one) === 'complete')),
          )
        }
        for (const { tab } of frozen) tab.thaw()
        await Promise.all(
          [...living, ...frozen].map((one) => until(() => statusOf(one) === 'complete')),
        )
        await expectWhole([...living, ...frozen], id)
        for (const { session } of tabs) session.close()
        tabs = []
      }),
      { numRuns: 12 },
    )
  })

  test('tabs with different keys do not share, also when one of them gets another', async () => {
    const world = createTabWorld()
    const id = crypto.randomUUID()
    const one = open(world, id, { ...slowServer, shareKey: 'ann' })
    void one.session.run('hello')
    await under(5)(one)
    let key = 'bob'
    const two = open(world, id, { ...slowServer, shareKey: () => key })
    const three = open(world, id, { ...slowServer, shareKey: 'ann' })
    for (const { session } of [two, three]) void session.watch()
    await under(lastIdOf(one) + 5)(two)
    await under(lastIdOf(one) + 5)(three)
    expect([one, two, three].map(({ tab }) => tab.openStreams())).toEqual([1, 1, 0])
    await stopRun(one.session)
    await Promise.all(tabs.map((opened) => until(() => statusOf(opened) === 'aborted')))
    await until(() => two.session.getSnapshot().connection.state === 'idle')
    key = 'ann'
    const run = one.session.run('again')
    await until(() => one.tab.openStreams() === 1)
    void two.session.watch()
    await under(lastIdOf(one) + 5)(two)
    expect(two.tab.openStreams()).toBe(0)
    await stopRun(one.session)
    await run
    await expectWhole(tabs, id, slowServer)
  })

  test('in a browser without locks, each tab reads for itself', async () => {
    const world = createTabWorld()
    const { fetch } = world.openTab()
    const session = createSharedSession({ url: server.url, fetch, locks: undefined })
    await session.run('hello')
    expect(session.getSnapshot().transcript.status).toBe('complete')
    session.close()
  })

  test('no frame of all these runs violates the protocol', () => {
    expect([...server.violations, ...slowServer.violations]).toEqual([])
  })
})
