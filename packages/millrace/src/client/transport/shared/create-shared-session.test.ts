import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import {
  createScriptedServer,
  type Fault,
} from '../../../../test/support/frames/scripted-server.ts'
import { createTabWorld } from '../../../../test/support/browser/tab-world.ts'
import { createSession } from '../http/http-session.ts'
import type { FetchFunction, SessionOptions } from '../../session.ts'
import { createSharedSession } from './create-shared-session.ts'

const agent = '0b0e7c3a-1111-4222-8333-444455556666'
const line = (type: string, delta: string) => JSON.stringify({ type, agent, final: true, delta })
const run = [
  line('meta_init', JSON.stringify({ user_query: 'hello', agent_uuid: agent })),
  line('text', 'Hello.'),
  line('meta_end', '{"stop_reason":"end_turn"}'),
]

function setUp(faults: readonly Fault[] = []) {
  const world = createTabWorld()
  const server = createScriptedServer({ runs: [run, run], faults })
  const open = (options: Partial<SessionOptions> = {}) => {
    const { locks, createChannel } = world.openTab()
    return createSharedSession({
      url: 'http://test',
      session: agent,
      fetch: server.fetch,
      locks,
      createChannel,
      leaderTimeoutMs: 20,
      ...options,
    })
  }
  return { server, open }
}

describe('a session shared by tabs', () => {
  test('sends no request after it was closed during a retry delay', async () => {
    const { server, open } = setUp([{ lose: 'response' }])
    const session = open({ retryDelayMs: 1e9, maxRetryDelayMs: 1e9 })
    const whole = session.run('hello')
    await vi.waitUntil(() => session.getSnapshot().connection.state === 'waiting')
    session.close()
    await expect(whole).rejects.toMatchObject({ code: 'connection_lost' })
    expect(server.requests).toHaveLength(1)
  })

  test('leaves the leadership to a tab whose server is slow', async () => {
    const { server, open } = setUp()
    await createSession({ url: 'http://test', session: agent, fetch: server.fetch }).run('hello')
    let answer = (): void => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow: FetchFunction = async (url, init) => {
      await isAnswered
      return server.fetch(url, init)
    }
    const [one, two] = [open({ fetch: slow }), open({ fetch: slow })]
    const first = one.watch()
    await vi.waitUntil(() => one.getSnapshot().connection.state === 'connecting')
    const second = two.watch()
    await vi.waitUntil(() => two.getSnapshot().connection.state === 'streaming')
    expect(one.getSnapshot().connection).toEqual({ state: 'connecting', attempt: 0 })
    answer()
    await Promise.all([first, second])
    expect(server.count('GET')).toBe(1)
    expect(two.getSnapshot().transcript).toEqual(one.getSnapshot().transcript)
    for (const session of [one, two]) session.close()
  })

  test('leaves no listener after a request has ended', async () => {
    const { open } = setUp()
    const session = open()
    const { signal } = new AbortController()
    await session.run('hello')
    for (let n = 0; n < 3; n++) {
      const url = `http://test/agent/${agent}/stream?cursor=0`
      const response = await session.options.fetch?.(url, { signal })
      expect(await response?.text()).toContain('[DONE]')
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
    session.close()
  })
})
