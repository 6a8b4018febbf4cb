import { afterEach, describe, expect, test, vi } from 'vitest'
import { tool } from '../../../test/support/agents/agent-harness.ts'
import { openCommandServer, session } from '../../../test/support/servers/command-server.ts'
import { loadState, loadStored } from '../../../test/support/stores/load-stored.ts'
import {
  createScriptedModel,
  type ScriptedModel,
} from '../../../test/support/agents/scripted-model.ts'
import { copyStore010, listStore010 } from '../../../test/support/stores/sqlite/store-010.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import type { AgentState } from '../../agent/state/agent-state.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { defineFrontendTool, defineTool } from '../../tools/define-tool.ts'
import { pendingOf } from '../../agent/state/pending-calls.ts'
import { hashInput } from '../../json/index.ts'
import { createSqliteStore } from '../../stores/sqlite/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import { decodeTimes } from '../runs/run-times.ts'
import type { StoredSession } from './session-record.ts'
import { withUpgrades } from './upgrade-sessions.ts'

const nextPath = temporaryPaths()
const listed = listStore010()
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server on a copy of the store of version 0.1.0. */
function open() {
  const path = nextPath()
  copyStore010(path)
  const store = createSqliteStore({ path })
  const model = createScriptedModel([])
  const input = { type: 'object' }
  const confirm = defineFrontendTool({ name: 'confirm', description: 'Asks.', input })
  const removing = { name: 'remove', description: 'Removes.', input, needsApproval: true }
  const remove = defineTool({ ...removing, run: () => 'Removed.' })
  const worker = createAgent({ name: 'worker', description: 'Works.', model, tools: [confirm] })
  const tools = [confirm, remove, tool('work')]
  const main = createAgent({ name: 'main', model, tools, subagents: [worker] })
  const handler = createHandler({ agents: { main }, defaultAgent: 'main', store, recovers: false })
  closing.push(() => store.close(), handler.close)
  return { store, model, handler }
}

const find = (kind: string) => {
  const found = listed.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`There is no ${kind} session in the fixture.`)
  return found
}

const get = async (handler: Handler, path: string): Promise<string> =>
  (await handler.fetch(new Request(`http://localhost/agent/${path}`))).text()

const post = async (handler: Handler, path: string, body: object): Promise<string> => {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await handler.fetch(new Request(`http://localhost/agent/${path}`, init))).text()
}

async function stateOf(store: Store, session: string): Promise<StoredSession> {
  return loadStored(withUpgrades(store), session)
}

describe('sessions stored by version 0.1.0', () => {
  test('have the same state, history and log', async () => {
    const { store, handler } = open()
    for (const { session, record, conversations, log, tail, lease } of listed) {
      if (record === undefined) continue
      const old = JSON.parse(record.json) as StoredSession & {
        readonly times?: unknown
        readonly state?: AgentState
      }
      const { times: _, version: _version, state, ...kept } = old
      const {
        bytes,
        pending = { calls: [], approvals: [] },
        ...stored
      } = await stateOf(store, session)
      expect(stored).toEqual({ ...kept, version: 2 })
      expect(await loadState(store, session)).toEqual(state)
      if (state !== undefined && stored.status !== 'ended')
        expect(pending).toEqual(pendingOf(state))
      expect(bytes).toBeGreaterThan(0)
      const info = await store.info(session)
      expect(info).toMatchObject({ tail })
      expect(info?.lease?.owner).toBe(lease?.owner)
      const lines = (await store.read(session, 0, 10_000)).map(({ line }) =>
        new TextDecoder().decode(line),
      )
      expect(lines).toEqual(log)
      const history = JSON.parse(await get(handler, `${session}/conversations?limit=100`)) as {
        conversations: object[]
      }
      const received = conversations.map(({ json }) => {
        const {
          times: _times,
          told_results: _told,
          ...run
        } = JSON.parse(json) as object & {
          times?: unknown
          told_results?: unknown
        }
        return run
      })
      expect(history.conversations).toEqual(received)
      const { times } = JSON.parse(await get(handler, `${session}/times?limit=100`)) as {
        times: [number, number][]
      }
      const pairs = conversations
        .toReversed()
        .flatMap(({ json }) => decodeTimes((JSON.parse(json) as { times?: number[] }).times ?? []))
      expect(times.slice(0, pairs.length)).toEqual(pairs)
    }
  })

  test('are converted once, and leave nothing of the old record', async () => {
    const { store } = open()
    const { session } = find('long')
    await stateOf(store, session)
    const first = await store.info(session)
    expect(await store.parts(session, 'record', { after: 0, limit: 1 })).not.toMatchObject([
      { number: 1 },
    ])
    await stateOf(store, session)
    expect(await store.info(session)).toEqual(first)
  })

  test('are listed before they are converted', async () => {
    const { store, handler } = open()
    const before = await store.list({ limit: 100, offset: 0 })
    const { sessions } = JSON.parse(await get(handler, 'sessions?limit=100')) as {
      sessions: { agent_uuid: string; title?: string }[]
    }
    expect(sessions.map(({ agent_uuid }) => agent_uuid)).toEqual(
      listed.map(({ session }) => session),
    )
    const { title } = JSON.parse(find('finished').record?.summary ?? '{}') as { title: string }
    const finished = sessions.find(({ agent_uuid }) => agent_uuid === find('finished').session)
    expect(finished?.title).toBe(title)
    // Only current runs are read completely.
    const isIdle = ({ head = '' }) => !head.includes('"running"')
    const after = await store.list({ limit: 100, offset: 0 })
    expect(after.rows.filter(isIdle)).toEqual(before.rows.filter(isIdle))
  })

  test('stay where they are in lists when they are converted', async () => {
    const { store, handler } = open()
    const namesIn = async (): Promise<string[]> => {
      const { rows } = await store.list({ limit: 100, offset: 0 })
      return rows.map(({ session }) => session)
    }
    const before = await namesIn()
    for (const session of before) await get(handler, session)
    const { session } = find('finished')
    expect((await store.info(session))?.head).toMatch(/^\{"version":2,/)
    expect(await namesIn()).toEqual(before)
  })

  test('accept their answers: a frontend tool, an approval, a sub-agent that waits', async () => {
    const { handler, model } = open()
    for (const kind of ['frontend', 'approval', 'waiting-subagent']) {
      const { session } = find(kind)
      const { pending, pending_approvals: approvals } = JSON.parse(await get(handler, session)) as {
        pending: { tool_use_id: string }[]
        pending_approvals: { tool_use_id: string }[]
      }
      const [one] = [...pending, ...approvals]
      const answer =
        pending.length > 0
          ? await post(handler, 'tool_results', {
              agent_uuid: session,
              tool_results: [{ tool_use_id: one?.tool_use_id, content: 'yes' }],
            })
          : await post(handler, 'tool_approvals', {
              agent_uuid: session,
              approvals: [
                {
                  tool_use_id: one?.tool_use_id,
                  decision: 'approve',
                  input_hash: hashInput({ file: 'mill.txt' }),
                },
              ],
            })
      expect(answer).toContain('\\"stop_reason\\":\\"end_turn\\"')
    }
    expect(model.requests.length).toBeGreaterThanOrEqual(3)
  })

  test('continue where a process was killed, and with another prompt', async () => {
    const { store, handler, model } = open()
    const killed = ['killed-in-text', 'killed-in-tool'].map((kind) => find(kind).session)
    const leases = (await store.leases(100)).rows
    expect(leases.map(({ session }) => session).sort()).toEqual([...killed].sort())
    for (const session of killed) {
      const info = await store.info(session)
      await store.renew(session, info?.epoch ?? 0, { owner: 'fixture', ms: 0 })
    }
    expect([...(await handler.recover())].sort()).toEqual([...killed].sort())
    await expect.poll(() => handler.activity().runs, { timeout: 20_000 }).toBe(0)
    for (const session of killed)
      expect(JSON.parse(await get(handler, session))).toMatchObject({ status: 'ended' })
    const { session } = find('finished')
    const asked = await post(handler, 'run', { agent_uuid: session, user_prompt: 'And now?' })
    expect(asked).toContain('\\"stop_reason\\":\\"end_turn\\"')
    expect(lastRequest(model)).toContain('look up Lima')
    const { conversations } = JSON.parse(await get(handler, `${session}/conversations`)) as {
      conversations: { sequence_number: number; user_message: string }[]
    }
    expect(conversations.map(({ sequence_number: number }) => number)).toEqual([4, 3, 2, 1])
    expect(conversations[0]?.user_message).toBe('And now?')
  })
})

function lastRequest({ requests }: ScriptedModel): string {
  return JSON.stringify(requests.at(-1)?.messages)
}

test('a session that a newer version has stored is rejected, and stays as it is, without affecting others', async () => {
  const store = createMemoryStore()
  const server = openCommandServer(store, { keep: { sessions: 1, everyMs: 5 } })
  closing.push(server.handler.close)
  await (await server.ask('one')).text()
  const { log, epoch, tail, head = '' } = await store.open(session)
  const newer = head.replace('"version":2', '"version":3')
  await store.append({ session, log, epoch, tail, lines: [], head: newer, lease: 'release' })
  const before = await store.info(session)
  const other = crypto.randomUUID()
  await (await server.post('run', { agent_uuid: other, user_prompt: 'two' })).text()
  const get = async (path: string) =>
    (await server.handler.fetch(new Request(`http://localhost/agent/${path}`))).json()
  const { sessions } = (await get('sessions')) as { sessions: object[] }
  expect(sessions).toMatchObject([{ agent_uuid: other, status: 'ended' }, { agent_uuid: session }])
  expect(await get(session)).toMatchObject({ error: { code: 'unsupported' } })
  const refused = await (await server.ask('three')).json()
  expect(refused).toMatchObject({
    error: { message: expect.stringContaining('Update this server') },
  })
  // A third session is removed by `keep`; the newer one is not, though it is older.
  await (await server.post('run', { agent_uuid: crypto.randomUUID(), user_prompt: 'x' })).text()
  await vi.waitUntil(async () => (await store.info(other)) === undefined)
  expect(await store.info(session)).toEqual(before)
})
