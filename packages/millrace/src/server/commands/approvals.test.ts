import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { anything, call, confirm, text } from '../../../test/support/agents/agent-harness.ts'
import { createFamily } from '../../../test/support/agents/approving-family.ts'
import { send } from '../../../test/support/servers/guarded-server.ts'
import { errorOf } from '../../../test/support/servers/test-servers.ts'
import { payloadOf, readStream, toMessages } from '../../../test/support/frames/read-stream.ts'
import {
  redisMissing,
  type RedisServer,
  startRedis,
} from '../../../test/support/stores/redis-server.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { temporaryPaths } from '../../../test/support/stores/sqlite/temporary-store.ts'
import type { Agent } from '../../agent/port/agent.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { withoutToolInternals } from '../views/view-rules.ts'
import type { ContentBlock } from '../../events/index.ts'
import { hashInput } from '../../json/index.ts'
import { createRedisStore } from '../../stores/redis/index.ts'
import { createSqliteStore } from '../../stores/sqlite/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'

const nextPath = temporaryPaths()
let redis: RedisServer | undefined

beforeAll(async () => {
  if (redisMissing === '') redis = await startRedis()
})
afterAll(async () => redis?.stop())

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => createMemoryStore()],
  ['SQLite', () => createSqliteStore({ path: nextPath() })],
  ...(redisMissing === ''
    ? [['Redis', () => createRedisStore({ url: redis?.url ?? '' })] as const]
    : []),
]

const TTL = 60_000
const START = Date.UTC(2026, 10, 16)

/** Servers on one store that share a clock, and the commands that their tool executed. */
function openServers(createStore: () => Store, options: Partial<HandlerOptions> = {}) {
  const store = createStore()
  closing.push(() => store.close())
  const ran: unknown[] = []
  const clock = { now: START }
  const shell = defineTool({
    name: 'shell',
    description: '',
    input: anything,
    needsApproval: true,
    run: (input) => {
      ran.push(input)
      return 'done'
    },
  })
  const agentOf = (calls: readonly ContentBlock[]): Agent =>
    createAgent({
      name: 'runs',
      model: createScriptedModel([{ content: calls }, { content: [text('fine')] }], byAnswers),
      tools: [shell, confirm],
    })
  const open = (agent: Agent, more: Partial<HandlerOptions> = {}): Handler => {
    const handler = createHandler({
      agents: { runs: agent },
      defaultAgent: 'runs',
      store,
      now: () => clock.now,
      context: (request) => request.headers.get('x-user'),
      owner: () => 'team',
      user: (name) => (name === null ? null : String(name)),
      limits: { leaseMs: 3_600_000 },
      ...options,
      ...more,
    })
    closing.push(() => handler.close())
    return handler
  }
  return { store, ran, clock, agentOf, open }
}

const ask = async (handler: Handler) => {
  const session = crypto.randomUUID()
  const response = await send(handler, '/agent/run', { agent_uuid: session, user_prompt: 'go' })
  return { session, stream: await readStream(response) }
}

const decide = (handler: Handler, session: string, approvals: readonly object[], user?: string) =>
  handler.fetch(
    new Request('http://localhost/agent/tool_approvals', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(user && { 'x-user': user }) },
      body: JSON.stringify({ agent_uuid: session, approvals }),
    }),
  )

const getJson = async (handler: Handler, path: string) =>
  (await (await send(handler, path)).json()) as {
    pending_approvals: readonly { readonly tool_use_id: string }[]
    decisions: readonly Record<string, unknown>[]
    cursor: number
    has_more: boolean
    status: string
  }

const stagesIn = (stream: Parameters<typeof toMessages>[0]): string[] =>
  toMessages(stream).flatMap(({ type, id, stage }) =>
    type === 'tool_status' ? [`${id} ${String(stage)}`] : [],
  )

/** The rest of a session's log, once its run has ended. */
const readAll = async (handler: Handler, session: string) =>
  readStream(await send(handler, `/agent/${session}/stream?cursor=0`))

const approve = (tool_use_id: string, more: object = {}) => ({
  tool_use_id,
  decision: 'approve',
  ...more,
})
const refuse = (tool_use_id: string) => ({ tool_use_id, decision: 'refuse', reason: 'no' })

const rm = call('t1', 'shell', { command: 'rm -rf build', cwd: '/' })
const ls = call('t2', 'shell', { command: 'ls' })

describe.each(stores)('approvals on %s', (_name, createStore) => {
  test('rejects a decision on arguments other than those of the call, and decides nothing', async () => {
    const { ran, agentOf, open } = openServers(createStore)
    const handler = open(agentOf([rm]))
    const { session, stream } = await ask(handler)
    const input_hash = hashInput({ cwd: '/', command: 'rm -rf build' })
    const asked_at = new Date(START).toISOString()
    expect(payloadOf(stream, 'awaiting_approval')).toEqual([
      {
        tool_use_id: 't1',
        name: 'shell',
        input: { command: 'rm -rf build', cwd: '/' },
        input_hash,
        asked_at,
      },
    ])
    expect(await getJson(handler, `/agent/${session}`)).toMatchObject({
      pending_approvals: [{ tool_use_id: 't1', input_hash, asked_at }],
    })
    const shown = hashInput({ command: 'ls' })
    for (const one of [
      approve('t1', { input_hash: shown }),
      { ...refuse('t1'), input_hash: shown },
    ])
      expect(await errorOf(await decide(handler, session, [one]))).toMatchObject({
        status: 409,
        code: 'conflict',
        reason: 'input_changed',
        message: expect.stringContaining('nothing was decided'),
      })
    expect(await getJson(handler, `/agent/${session}`)).toMatchObject({
      pending_approvals: [{ tool_use_id: 't1' }],
    })
    expect(ran).toEqual([])
    const taken = await readStream(await decide(handler, session, [approve('t1', { input_hash })]))
    expect(stagesIn(taken)).toEqual(['t1 approved', 't1 started', 't1 succeeded'])
    expect(ran).toHaveLength(1)
  })

  test('requires a hash if configured, except for a denial', async () => {
    const { ran, agentOf, open } = openServers(createStore, { requireInputHash: true })
    const handler = open(agentOf([rm]))
    const { session } = await ask(handler)
    expect(await errorOf(await decide(handler, session, [approve('t1')]))).toMatchObject({
      status: 400,
      code: 'bad_request',
      message: expect.stringContaining('input_hash'),
    })
    const refused = await readStream(await decide(handler, session, [refuse('t1')]))
    expect(stagesIn(refused)).toEqual(['t1 refused'])
    expect(ran).toEqual([])
  })

  test('reports the user, time and arguments of a decision, in frames and in the list of decisions; the first one counts', async () => {
    const { clock, agentOf, open } = openServers(createStore)
    const handler = open(agentOf([rm, ls]))
    const { session } = await ask(handler)
    clock.now += 1_000
    const edit = approve('t1', { input: { command: 'rm -rf tmp' } })
    const first = await readStream(await decide(handler, session, [edit], 'anna'))
    const input_hash = hashInput({ command: 'rm -rf build', cwd: '/' })
    const at = new Date(clock.now).toISOString()
    expect(toMessages(first)).toMatchObject([
      { type: 'tool_status', stage: 'approved', by: 'anna', at, input_hash, edited: true },
    ])
    clock.now += 1_000
    const again = await readStream(await decide(handler, session, [edit], 'bert'))
    expect(again.frames).toEqual(first.frames)
    expect(again.isDone).toBe(true)
    await (await decide(handler, session, [refuse('t2')])).text()
    expect((await readStream(await decide(handler, session, [edit], 'bert'))).frames).toEqual(
      first.frames,
    )
    const path = `/agent/${session}/decisions`
    const all = await getJson(handler, path)
    expect(all).toMatchObject({
      decisions: [
        {
          tool_use_id: 't1',
          agent: session,
          name: 'shell',
          outcome: 'approved',
          by: 'anna',
          at,
          input_hash,
          edited: true,
          input: { command: 'rm -rf tmp' },
        },
        { tool_use_id: 't2', outcome: 'refused', by: null, edited: false, reason: 'no' },
      ],
      has_more: false,
      earliest: 1,
    })
    const page = await getJson(handler, `${path}?limit=1`)
    expect(page).toMatchObject({ decisions: all.decisions.slice(0, 1), has_more: true })
    const rest = await getJson(handler, `${path}?after=${page.cursor}`)
    expect(rest).toMatchObject({ decisions: all.decisions.slice(1), has_more: false })
  })

  test('rejects an approval after its time with 409, denies the call as expired, and resumes the run', async () => {
    const { ran, clock, agentOf, open } = openServers(createStore, { approvalTtlMs: TTL })
    const [one, two] = [open(agentOf([rm])), open(agentOf([rm]))]
    const { session } = await ask(one)
    const expires_at = new Date(START + TTL).toISOString()
    expect(await getJson(two, `/agent/${session}`)).toMatchObject({
      pending_approvals: [{ expires_at }],
    })
    clock.now += TTL
    for (const handler of [two, one])
      expect(await errorOf(await decide(handler, session, [approve('t1')]))).toMatchObject({
        status: 409,
        code: 'conflict',
        reason: 'expired',
        expired_at: expires_at,
        message: expect.stringContaining('does not run'),
      })
    const stream = await readAll(two, session)
    expect(stagesIn(stream)).toEqual(['t1 approval_requested', 't1 expired'])
    expect(toMessages(stream).find(({ type }) => type === 'tool_result')).toMatchObject({
      delta: expect.stringContaining('Nobody decided on this call in time'),
    })
    expect(toMessages(stream).at(-1)?.delta).toContain('end_turn')
    expect(ran).toEqual([])
    expect(await getJson(one, `/agent/${session}/decisions`)).toMatchObject({
      decisions: [{ tool_use_id: 't1', outcome: 'expired', by: null, at: expires_at }],
    })
  })

  test('answers a late denial with the stream of the resumed run, and counts it as expired', async () => {
    const { clock, agentOf, open } = openServers(createStore, { approvalTtlMs: TTL })
    const handler = open(agentOf([rm]))
    const { session } = await ask(handler)
    clock.now += TTL + 1
    const late = await readStream(await decide(handler, session, [refuse('t1')], 'anna'))
    expect(stagesIn(late)).toEqual(['t1 expired'])
    expect(late.isDone).toBe(true)
    expect((await readStream(await decide(handler, session, [refuse('t1')]))).frames).toEqual(
      late.frames,
    )
  })

  test('voids an approval whose tool waited too long for other calls', async () => {
    const { ran, clock, agentOf, open } = openServers(createStore, { approvalTtlMs: TTL })
    const handler = open(agentOf([rm, call('c1', 'confirm')]))
    const { session } = await ask(handler)
    clock.now += TTL - 1
    const approved = await readStream(await decide(handler, session, [approve('t1')], 'anna'))
    expect(stagesIn(approved)).toEqual(['t1 approved'])
    clock.now += TTL
    const answers = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
    const stream = await readStream(await send(handler, '/agent/tool_results', answers))
    expect(stagesIn(stream)).toEqual(expect.arrayContaining(['t1 expired']))
    expect(stagesIn(stream)).not.toContain('t1 started')
    expect(toMessages(stream).at(-1)?.delta).toContain('end_turn')
    expect(ran).toEqual([])
    expect((await getJson(handler, `/agent/${session}/decisions`)).decisions).toMatchObject([
      { outcome: 'approved', by: 'anna' },
      { outcome: 'expired', by: null, at: new Date(clock.now).toISOString() },
    ])
    // A repeated first request gets the same response.
    expect((await readStream(await decide(handler, session, [approve('t1')]))).frames).toEqual(
      approved.frames,
    )
  })

  test('denies an expired request when another answer of the same pause arrives', async () => {
    const { ran, clock, agentOf, open } = openServers(createStore, { approvalTtlMs: TTL })
    const handler = open(agentOf([rm, call('c1', 'confirm')]))
    const { session } = await ask(handler)
    clock.now += TTL
    const answers = { agent_uuid: session, tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
    await (await send(handler, '/agent/tool_results', answers)).text()
    const stream = await readAll(handler, session)
    expect(stagesIn(stream)).toContain('t1 expired')
    expect(toMessages(stream).at(-1)?.delta).toContain('end_turn')
    expect(ran).toEqual([])
  })

  test('expires and decides each call of a sub-agent by itself, also while another sub-agent works', async () => {
    const { clock, open } = openServers(createStore, { approvalTtlMs: TTL })
    const commands: string[] = []
    const handler = open(createFamily(commands))
    const { session } = await ask(handler)
    const { pending_approvals: pending } = await getJson(handler, `/agent/${session}`)
    const [first = '', second = ''] = pending.map(({ tool_use_id }) => tool_use_id)
    expect(pending).toMatchObject([
      { agent: `${session}.1`, input_hash: hashInput({ command: 'rm -rf build' }) },
      { agent: `${session}.2`, input_hash: hashInput({ command: 'ls' }) },
    ])
    const swapped = approve(first, { input_hash: hashInput({ command: 'ls' }) })
    expect(await errorOf(await decide(handler, session, [swapped]))).toMatchObject({ status: 409 })
    clock.now += TTL - 1
    await (await decide(handler, session, [approve(second)], 'anna')).text()
    clock.now += 1
    expect(await errorOf(await decide(handler, session, [approve(first)]))).toMatchObject({
      status: 409,
      reason: 'expired',
    })
    await readAll(handler, session)
    expect(commands).toEqual(['ls'])
    expect((await getJson(handler, `/agent/${session}/decisions`)).decisions).toMatchObject([
      { agent: `${session}.2`, tool_use_id: second, outcome: 'approved', by: 'anna' },
      { agent: `${session}.1`, tool_use_id: first, outcome: 'expired', by: null },
    ])
  })

  test('records one decider if two servers decide concurrently', async () => {
    const { ran, agentOf, open } = openServers(createStore)
    const servers = [open(agentOf([rm])), open(agentOf([rm]))]
    const [one] = servers
    const { session } = await ask(one!)
    const responses = await Promise.all(
      servers.map((server, index) => decide(server, session, [approve('t1')], `user ${index}`)),
    )
    await Promise.all(responses.map((response) => response.text()))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(ran).toHaveLength(1)
    const { decisions } = await getJson(one!, `/agent/${session}/decisions`)
    expect(decisions).toHaveLength(1)
    expect(String(decisions[0]?.['by'])).toMatch(/^user [01]$/)
  })
})

describe('approvals through other routes and for other readers', () => {
  const inMemory = () => createMemoryStore()
  const chatOf = (handler: Handler, id: string, parts: readonly object[]) =>
    handler.fetch(
      new Request('http://localhost/ai-sdk/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': 'anna' },
        body: JSON.stringify({ id, messages: [{ role: 'assistant', id: 'x', parts }] }),
      }),
    )
  const part = (toolCallId: string, input: object, approved = true) => ({
    type: 'dynamic-tool',
    toolName: 'shell',
    toolCallId,
    state: 'approval-responded',
    input,
    approval: { id: toolCallId, approved },
  })
  const rmInput = { cwd: '/', command: 'rm -rf build' }

  test('an AI SDK page approves the arguments that it shows, and the decider is recorded', async () => {
    const { ran, agentOf, open } = openServers(inMemory, { requireInputHash: true })
    const handler = open(agentOf([rm, ls]))
    const { session } = await ask(handler)
    const changed = await chatOf(handler, session, [part('t1', { command: 'ls' })])
    expect(await errorOf(changed)).toMatchObject({ status: 409, reason: 'input_changed' })
    const first = await (await chatOf(handler, session, [part('t1', rmInput)])).text()
    expect(first).toContain('"stage":"approved"')
    expect(first).toContain('"by":"anna"')
    // The same answer again, while another call is still pending.
    expect(await (await chatOf(handler, session, [part('t1', rmInput)])).text()).toBe(first)
    await (await chatOf(handler, session, [part('t2', { command: 'ls' }, false)])).text()
    expect(await (await chatOf(handler, session, [part('t1', rmInput)])).text()).toBe(first)
    expect(ran).toHaveLength(1)
    expect((await getJson(handler, `/agent/${session}/decisions`)).decisions).toMatchObject([
      { tool_use_id: 't1', outcome: 'approved', by: 'anna' },
      { tool_use_id: 't2', outcome: 'refused', by: 'anna' },
    ])
  })

  test('an AG-UI client sends the hash in the payload of its resume', async () => {
    const { ran, agentOf, open } = openServers(inMemory, {
      requireInputHash: true,
      approvalTtlMs: TTL,
    })
    const handler = open(agentOf([rm]))
    const { session } = await ask(handler)
    const post = (body: object) =>
      send(handler, '/ag-ui', { threadId: session, runId: 'r2', messages: [], ...body })
    const resume = (payload: object) =>
      post({ resume: [{ interruptId: 't1', status: 'resolved', payload }] })
    const input_hash = hashInput(rmInput)
    const received = await (await post({})).text()
    expect(received).toContain(`"input_hash":"${input_hash}"`)
    expect(received).toContain(`"expiresAt":"${new Date(START + TTL).toISOString()}"`)
    for (const [payload, status] of [
      [{ approved: true }, 400],
      [{ approved: true, inputHash: 'x' }, 400],
      [{ approved: true, inputHash: hashInput({}) }, 409],
    ] as const)
      expect(await errorOf(await resume(payload))).toMatchObject({ status })
    expect(ran).toEqual([])
    await (await resume({ approved: true, inputHash: input_hash })).text()
    expect(ran).toHaveLength(1)
  })

  test('a view hides decisions of hidden agents, hidden fields, and the hash of hidden arguments', async () => {
    const { agentOf, open } = openServers(inMemory)
    const view = withoutToolInternals
    const handler = open(agentOf([rm, ls]), {
      view: (request) => (request.headers.has('x-user') ? undefined : view),
    })
    const { session, stream } = await ask(handler)
    const hash = hashInput(rmInput)
    expect(JSON.stringify(stream)).not.toContain('input_hash')
    expect(await getJson(handler, `/agent/${session}`)).toMatchObject({
      pending_approvals: [{ input: {} }, {}],
    })
    expect(JSON.stringify(await getJson(handler, `/agent/${session}`))).not.toContain(hash)
    await (await decide(handler, session, [refuse('t1')], 'anna')).text()
    const seen = await getJson(handler, `/agent/${session}/decisions`)
    expect(seen.decisions).toMatchObject([{ tool_use_id: 't1', outcome: 'refused', by: 'anna' }])
    expect(seen.decisions[0]).not.toHaveProperty('reason')
    expect(seen.decisions[0]).not.toHaveProperty('input_hash')
    // A page that gets no arguments cannot have shown them.
    const blind = new Request('http://localhost/ai-sdk/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: session,
        messages: [{ role: 'assistant', id: 'x', parts: [part('t2', {})] }],
      }),
    })
    expect((await handler.fetch(blind)).status).toBe(200)
  })

  test('decisions of a session that a request may not read are not found', async () => {
    const { agentOf, open } = openServers(inMemory)
    const handler = open(agentOf([rm]), { authorize: (_, action) => action !== 'read' })
    const { session } = await ask(handler)
    expect((await send(handler, `/agent/${session}/decisions`)).status).toBe(404)
    for (const query of ['after=-1', 'limit=0', 'limit=101', 'after=x'])
      expect((await send(handler, `/agent/${session}/decisions?${query}`)).status).toBe(400)
  })

  test('an agent may be named in any case, and only once', async () => {
    const { open } = openServers(inMemory)
    const commands: string[] = []
    const handler = open(createFamily(commands))
    const { session } = await ask(handler)
    const { pending_approvals: pending } = await getJson(handler, `/agent/${session}`)
    const [first = ''] = pending.map(({ tool_use_id }) => tool_use_id)
    const both = {
      agent_uuid: `${session}.1`,
      approvals: [{ ...approve(first), agent: `${session}.2` }],
    }
    expect(await errorOf(await send(handler, '/agent/tool_approvals', both))).toMatchObject({
      status: 400,
      message: expect.stringContaining('name the agent of the call in one of them'),
    })
    const named = { ...approve(first), agent: `${session}.1`.toUpperCase() }
    expect((await decide(handler, session, [named])).status).toBe(200)
  })

  test.each([
    [{ approvalTtlMs: 0 }, /approvalTtlMs is 0/],
    [{ approvalTtlMs: Infinity }, /approvalTtlMs is Infinity/],
    [{ approvalTtlMs: '1' as never }, /approvalTtlMs is 1/],
    [
      { requireInputHash: 'yes' as never },
      /`requireInputHash` of `createHandler` must be a boolean/,
    ],
  ])('%j is rejected when the server is created', (options, message) => {
    const { agentOf, open } = openServers(inMemory)
    expect(() => open(agentOf([rm]), options)).toThrow(message)
  })
})
