import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createScriptedServer } from '../../../test/support/frames/scripted-server.ts'
import { createSession } from '../transport/http/http-session.ts'
import { serveTool } from './serve-tool.ts'
import type { FetchFunction } from '../session.ts'

const agent = '0b0e7c3a-1111-4222-8333-444455556666'
const line = (type: string, delta: object) =>
  JSON.stringify({ type, agent, final: true, delta: JSON.stringify(delta) })
const paused = [
  line('meta_init', { user_query: 'hello', agent_uuid: agent }),
  line('awaiting_frontend_tools', [{ tool_use_id: 't1', name: 'pick', input: {} }] as object),
  line('meta_end', { stop_reason: 'awaiting_frontend_tools' }),
]

type Claim = () => Response

const granted: Claim = () =>
  Response.json({ claimed: true, expires_at: new Date(Date.now() + 30_000).toISOString() })
const held: Claim = () => Response.json({ error: { code: 'conflict' } }, { status: 409 })
const gone: Claim = () => Response.json({ error: { code: 'not_found' } }, { status: 404 })

/** Creates a session that waits for `pick`, with controlled responses to claims. */
async function pause(answer: Claim) {
  const server = createScriptedServer({ runs: [paused, [line('meta_end', {})]] })
  const claims = vi.fn(answer)
  const fetch: FetchFunction = async (url, init) =>
    url.endsWith('/tool_claims') ? claims() : server.fetch(url, init)
  const session = createSession({ url: 'http://test', session: agent, fetch })
  await session.run('hello')
  return { session, server, claims }
}

const aMinute = () => vi.advanceTimersByTimeAsync(60_000)

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('claims of a call', () => {
  test('are renewed while the tool runs, and not after its release, even if the tool continues', async () => {
    const { session, claims } = await pause(granted)
    const run = vi.fn(() => new Promise<string>(() => {}))
    const letGo = serveTool(session, { name: 'pick', run })
    await aMinute()
    expect(run).toHaveBeenCalledTimes(1)
    expect(claims.mock.calls.length).toBeGreaterThan(5)
    letGo()
    claims.mockClear()
    await aMinute()
    expect(claims).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are not repeated after a release while another tab holds the claim, or after the session is closed', async () => {
    for (const how of ['let go', 'close']) {
      const { session, claims } = await pause(held)
      const letGo = serveTool(session, { name: 'pick', run: () => 'this' })
      await aMinute()
      claims.mockClear()
      if (how === 'close') session.close()
      else letGo()
      await aMinute()
      expect(claims).not.toHaveBeenCalled()
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  test('that are rejected without a time are repeated at most once a second', async () => {
    const { session, claims } = await pause(held)
    const letGo = serveTool(session, { name: 'pick', run: () => 'this' })
    await aMinute()
    expect(claims.mock.calls.length).toBeLessThan(62)
    letGo()
  })

  test('that arrive too late make the session read on, and are rarely repeated', async () => {
    const { session, claims, server } = await pause(gone)
    const letGo = serveTool(session, { name: 'pick', run: () => 'this' })
    await aMinute()
    expect(server.count('GET')).toBe(claims.mock.calls.length)
    expect(claims.mock.calls.length).toBeLessThan(5)
    letGo()
  })
})
