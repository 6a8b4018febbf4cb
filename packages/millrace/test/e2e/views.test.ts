import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import {
  joinViews,
  withoutThinking,
  withoutToolInternals,
} from '../../src/server/views/view-rules.ts'
import { finalText } from '../../src/client/transcript/index.ts'
import { createCuttingFetch } from '../support/network/cutting-fetch.ts'
import { createTestClient } from '../support/servers/test-client.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let server: TestServer

/** The view of guests: without reasoning, arguments and results of tools, and sub-agents. */
beforeAll(async () => {
  const guests = joinViews(withoutThinking, withoutToolInternals)
  server = await openTestServer({
    view: (request, session) =>
      request.headers.get('x-role') === 'guest'
        ? { ...guests, hidesAgent: (agent) => agent !== session }
        : undefined,
  })
})

afterAll(async () => {
  await server.close()
})

const guest = { 'x-role': 'guest' }

function connect(
  headers: Record<string, string>,
  { id, cuts = [] }: { id?: string; cuts?: number[] } = {},
) {
  const network = createCuttingFetch(cuts)
  const session = createSession({
    url: server.url,
    headers,
    fetch: network.fetch,
    retryDelayMs: 0,
    ...(id !== undefined && { session: id }),
  })
  return { session, requests: network.requests }
}

const blocksOf = ({ session }: ReturnType<typeof connect>) =>
  [...session.getSnapshot().transcript.agents].flatMap(({ blocks }) => [...blocks])

const demos = ['/demo thinking', '/demo tools', '/demo subagents', '/demo text']

describe('a client with a view', () => {
  test.each(demos)('%s: neither fails nor reconnects, live and later', async (prompt) => {
    const owner = connect({})
    await owner.session.run(prompt)
    const { lastId } = owner.session.getSnapshot().transcript
    const late = connect(guest, { id: owner.session.id })
    await late.session.watch()
    const live = connect(guest)
    await live.session.run(prompt)
    for (const reader of [late, live]) {
      expect(reader.requests).toHaveLength(1)
      const { transcript, connection } = reader.session.getSnapshot()
      expect(connection).toMatchObject({ state: 'idle', attempt: 0 })
      expect(transcript.status).toBe('complete')
      expect([...transcript.agents]).toHaveLength(1)
      expect(blocksOf(reader).map(({ type }) => type)).not.toContain('thinking')
    }
    expect(late.session.getSnapshot().transcript.lastId).toBe(lastId)
    expect(finalText(late.session.getSnapshot().transcript)).toBe(
      finalText(owner.session.getSnapshot().transcript),
    )
  })

  test('a second prompt follows the first, though its last frames were hidden', async () => {
    const reader = connect(guest)
    await reader.session.run('/demo tools')
    await reader.session.run('/demo thinking')
    expect(reader.requests).toHaveLength(2)
    expect(reader.session.getSnapshot().transcript.status).toBe('complete')
  })

  test('gets the same for cuts at any byte', async () => {
    const owner = connect({})
    await owner.session.run('/demo tools')
    const whole = connect(guest, { id: owner.session.id })
    await whole.session.watch()
    for (let at = 0; at < 2_000; at += 97) {
      const cut = connect(guest, { id: owner.session.id, cuts: [at, at * 2] })
      await cut.session.watch()
      expect(JSON.stringify(blocksOf(cut))).toBe(JSON.stringify(blocksOf(whole)))
    }
  })

  test('gets pending calls without their input', async () => {
    const owner = connect({})
    await owner.session.run('/demo frontend')
    const { get } = createTestClient(server.url)
    const [open, hidden] = await Promise.all(
      [{}, guest].map(async (headers) => {
        const response = await get(`/agent/${owner.session.id}`, headers)
        return (await response.json()) as { pending: { name: string; input: object }[] }
      }),
    )
    expect(open?.pending[0]?.input).not.toEqual({})
    expect(hidden?.pending[0]?.name).toBe(open?.pending[0]?.name)
    expect(hidden?.pending[0]?.input ?? {}).toEqual({})
  })
})
