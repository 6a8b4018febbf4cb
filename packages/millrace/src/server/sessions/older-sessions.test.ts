import { afterEach, describe, expect, test } from 'vitest'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import {
  find,
  olderSessions,
  type OlderSession,
  putOlder,
} from '../../../test/support/stores/sessions-before-port.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { defineFrontendTool, defineTool } from '../../tools/define-tool.ts'
import { createDecoder } from '../../events/index.ts'
import { hashInput, type JsonObject } from '../../json/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Part, Store } from '../../stores/port/index.ts'
import { createSqliteStore } from '../../stores/sqlite/index.ts'
import { createHandler } from '../handler.ts'

const nextPath = temporaryPaths()
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server on a store with sessions that servers before the agent port stored. */
async function open(store: Store, ...sessions: readonly OlderSession[]) {
  for (const one of sessions) await putOlder(store, one)
  const model = createScriptedModel([])
  const input = { type: 'object' }
  const tool = (name: string, more: { readonly needsApproval?: boolean } = {}) =>
    defineTool({ name, description: name, input, run: () => `${name} ran`, ...more })
  const confirm = defineFrontendTool({ name: 'confirm', description: 'Asks.', input })
  const tools = [confirm, tool('look_up'), tool('work'), tool('remove', { needsApproval: true })]
  const worker = createAgent({ name: 'worker', description: 'Works.', model, tools: [confirm] })
  const main = createAgent({ name: 'main', model, tools, subagents: [worker] })
  const onViolation = (violation: unknown): never => {
    throw new Error(JSON.stringify(violation))
  }
  const options = { agents: { main }, defaultAgent: 'main', store, onViolation }
  const handler = createHandler({ ...options, recovers: false })
  closing.push(() => store.close(), handler.close)
  const send = async (path: string, body?: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return (await handler.fetch(new Request(`http://localhost/agent/${path}`, post))).text()
  }
  const view = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await send(path))
  return { store, model, handler, send, view }
}

const result = ({ session }: OlderSession, id: string) =>
  [
    'tool_results',
    { agent_uuid: session, tool_results: [{ tool_use_id: id, content: 'yes' }] },
  ] as const

const approval = ({ session }: OlderSession, id: string, input: JsonObject) => {
  const one = { tool_use_id: id, decision: 'approve', input_hash: hashInput(input) }
  return ['tool_approvals', { agent_uuid: session, approvals: [one] }] as const
}

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => createMemoryStore()],
  ['SQLite', () => createSqliteStore({ path: nextPath() })],
]

/** A session whose run had answered its open call and had not sent the result when its server died. */
function withUnsentResult(older: OlderSession): OlderSession {
  const block = { type: 'tool_result', tool_use_id: 'w1', content: 'Stopped.', is_error: true }
  const add = [{ role: 'user', content: [{ $part: 3 }, block] }]
  const body = JSON.stringify({ list: 'messages', at: 2, add })
  const call = { agent: older.session, id: 'w1', name: 'work' }
  const event = { type: 'tool_result', ...call, text: 'Stopped.', images: [], isError: true }
  const parts = older.parts.map((part): Part => {
    if (part.collection !== 'own:cells') return part
    const { core, ...cell } = JSON.parse(part.body) as { readonly core: object }
    const unsent = { ...core, turn: undefined, untold: [event] }
    return { ...part, body: JSON.stringify({ ...cell, parts: 4, core: unsent }) }
  })
  return {
    ...older,
    parts: [...parts, { collection: 'lane:0', number: 4, frame: older.tail, body }],
  }
}

const ENDED = '\\"stop_reason\\":\\"end_turn\\"'

describe.each(stores)('on %s, sessions that were stored before the agent port', (_, create) => {
  test('have their pending calls and their history', async () => {
    const { view } = await open(create(), ...olderSessions)
    const pendingOf = async (kind: string) => {
      const { pending = [], pending_approvals: approvals = [] } = await view(find(kind).session)
      return [...(pending as object[]), ...(approvals as object[])]
    }
    expect(await pendingOf('frontend')).toMatchObject([{ tool_use_id: 'c1' }])
    expect(await pendingOf('approval')).toMatchObject([{ tool_use_id: 'r1' }])
    expect(await pendingOf('answered-partly')).toMatchObject([{ tool_use_id: 'r2' }])
    expect(await pendingOf('waiting-subagent')).toMatchObject([{ tool_use_id: 'c1' }])
    const { conversations } = await view(`${find('finished').session}/conversations`)
    expect(conversations).toMatchObject([
      {
        user_message: 'confirm',
        final_response: 'done',
        messages: [
          { role: 'user', content: [{ text: 'confirm' }] },
          { role: 'assistant', content: [{ text: 'May I?' }, { id: 'c1' }] },
          { role: 'user', content: [{ tool_use_id: 'c1', content: 'yes' }] },
          { role: 'assistant', content: [{ text: 'done' }] },
        ],
      },
      {
        user_message: 'look up Lima',
        messages: [
          { content: [{ text: 'look up Lima' }] },
          { content: [{ id: 'l1' }] },
          { content: [{ tool_use_id: 'l1', content: expect.stringContaining('21 degrees') }] },
          { content: [{ text: 'Warm.' }] },
        ],
      },
    ])
  })

  test('accept their answers, repeat them and reject others', async () => {
    const { send, model, view } = await open(create(), ...olderSessions)
    const [frontend, removal] = [find('frontend'), find('approval')]
    const answered = await send(...result(frontend, 'c1'))
    expect(answered).toContain(ENDED)
    expect(await send(...result(frontend, 'c1'))).toBe(answered)
    const other = { tool_use_id: 'c1', content: 'no' }
    const refused = { agent_uuid: frontend.session, tool_results: [other] }
    expect(await send('tool_results', refused)).toContain('conflict')
    expect(await send(...approval(removal, 'r1', { file: 'mill.txt' }))).toContain('remove ran')
    expect(await send(...approval(find('answered-partly'), 'r2', { file: 'a' }))).toContain(ENDED)
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/yes.*remove ran/)
    const waiting = await send(...result(find('waiting-subagent'), 'c1'))
    expect(waiting).toContain(ENDED)
    const { conversations } = await view(`${frontend.session}/conversations`)
    expect(conversations).toMatchObject([
      { user_message: 'confirm', messages: [{}, {}, {}, { content: [{ text: 'done' }] }] },
      { user_message: 'look up Lima', messages: [{}, {}, {}, { content: [{ text: 'Warm.' }] }] },
    ])
  })

  test('accept answers to pending calls that are not stored next to the head', async () => {
    const { parts, ...rest } = find('approval')
    const bare = parts.filter(
      ({ collection, number }) => collection !== 'own:record' || number !== 6,
    )
    const { send, view } = await open(create(), { ...rest, parts: bare })
    expect(await view(rest.session)).toMatchObject({ status: 'paused', pending_approvals: [] })
    expect(await send(...approval(find('approval'), 'r1', { file: 'mill.txt' }))).toContain(ENDED)
  })

  test('are stopped, and accept another prompt', async () => {
    const { send, view, model } = await open(create(), ...olderSessions)
    for (const kind of ['frontend', 'approval', 'waiting-subagent']) {
      const { session } = find(kind)
      expect(await send(`${session}/stop`, {})).toContain('"stopped":true')
      await expect.poll(() => view(session)).toMatchObject({ status: 'ended' })
      expect(await send('run', { agent_uuid: session, user_prompt: 'And now?' })).toContain(ENDED)
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/not answered.*And now/)
    }
  })

  test('continue where their server was killed', async () => {
    const killed = ['killed-in-text', 'killed-in-tool', 'killed-in-subagent'].map(find)
    const { handler, view, store, model } = await open(create(), ...killed)
    const sessions = killed.map(({ session }) => session)
    expect([...(await handler.recover())].sort()).toEqual(sessions)
    await expect.poll(() => handler.activity().runs, { timeout: 20_000 }).toBe(0)
    for (const { session, kind } of killed) {
      expect(await view(session)).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
      const lines = await store.read(session, 0, 10_000)
      const types = lines.map(
        ({ line }) => (JSON.parse(new TextDecoder().decode(line)) as { type: string }).type,
      )
      const rollbacks = kind === 'killed-in-tool' ? 0 : 1
      expect(types.filter((type) => type === 'rollback')).toHaveLength(rollbacks)
    }
    expect(JSON.stringify(model.requests)).toContain('21 degrees')
  })

  test('report a result that was stored but not sent', async () => {
    const { handler, store } = await open(create(), withUnsentResult(find('killed-in-tool')))
    await handler.recover()
    await expect.poll(() => handler.activity().runs, { timeout: 20_000 }).toBe(0)
    const { session } = find('killed-in-tool')
    const lines = await store.read(session, 0, 10_000)
    const decoder = createDecoder()
    const events = lines.map(({ line }) => decoder.decode(new TextDecoder().decode(line)))
    const results = events.filter((event) => event?.type === 'tool_result')
    expect(results.at(-1)).toMatchObject({ callId: 'w1', name: 'work', text: 'Stopped.' })
  })

  test('are forked at previously stored fork points', async () => {
    const { session } = find('finished')
    const { send, view, model } = await open(create(), find('finished'))
    const to = '0b000000-0000-4000-8000-0000000000ff'
    for (const after of [11, 6]) {
      const branch = `${to.slice(0, -2)}${10 + after}`
      await send(`${session}/fork`, { after, branch_uuid: branch })
      expect(await send('run', { agent_uuid: branch, user_prompt: 'Again?' })).toContain(ENDED)
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/21 degrees.*Again/)
      expect(await view(branch)).toMatchObject({ status: 'ended' })
    }
  })
})
