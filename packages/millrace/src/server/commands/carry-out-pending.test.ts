import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  confirm,
  createGate,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, spawn } from '../../../test/support/agents/family.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import { readStream, toMessages } from '../../../test/support/frames/read-stream.ts'
import {
  byAnswers,
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { MAX_PENDING, type Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import { decodeReceipt } from './receipts.ts'

const session = '00000000-0000-4000-8000-000000000000'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** A store of many servers whose wake-ups are all lost. */
function createSharedStore(): Store {
  return { ...createMemoryStore(), isDurable: true, send: async () => {} }
}

function open(
  store: Store,
  replies: readonly ScriptedReply[],
  options: Partial<AgentOptions>,
  leaseMs = 60_000,
): Handler {
  const model = createScriptedModel(replies, byAnswers)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, ...options }) },
    defaultAgent: 'miller',
    store,
    limits: { leaseMs },
  })
  handlers.push(handler)
  return handler
}

const post = (handler: Handler, path: string, body: object): Promise<Response> =>
  handler.fetch(
    new Request(`http://localhost/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

const ask = (handler: Handler, prompt: unknown = 'go'): Promise<Response> =>
  post(handler, 'run', { agent_uuid: session, user_prompt: prompt })

/** Adds a command for a run to the inbox, like a server. */
const submit = (store: Store, key: string, command: object, run = 1) =>
  store.submit(session, { key, body: JSON.stringify({ run, command }) })

const outcomeOf = async (store: Store, key: string) => {
  const command = await store.command(session, key)
  return command && decodeReceipt(command).state
}

async function logHas(store: Store, word: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const lines = await store.read(session, 0, 10_000)
        return lines.some(({ line }) => new TextDecoder().decode(line).includes(word))
      },
      { timeout: 10_000 },
    )
    .toBe(true)
}

/** The user messages in the log, and the number of ends of runs. */
async function readWhole(handler: Handler) {
  const path = `http://localhost/agent/${session}/stream?cursor=0`
  const messages = toMessages(await readStream(await handler.fetch(new Request(path))))
  const ends = messages.filter(({ type }) => type === 'meta_end')
  return {
    words: messages.filter(({ type }) => type === 'user_message').map(({ delta }) => delta),
    ends: ends.map(({ delta }) => (JSON.parse(delta) as { stop_reason: string }).stop_reason),
    results: messages.filter(({ type }) => type === 'tool_result').length,
  }
}

const slowScript = [{ content: [call('t1', 'slow')] }, { content: [text('done')] }]

describe('[CMD-1] a message to a run of another server', () => {
  test('reaches it once, though no wake-up arrives', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const tools = [tool('slow', () => gate.passed)]
    const owner = open(store, slowScript, { tools }, 300)
    const other = open(store, slowScript, { tools })
    const stream = ask(owner)
    await logHas(store, '"started"')
    const received = await post(other, `${session}/steer`, { user_prompt: 'mind the sacks' })
    expect(await received.json()).toEqual({ steered: true })
    expect((await store.info(session))?.pending).toBe(1)
    // The owner reads the inbox when it renews its lease, every 100 ms here.
    await new Promise((resolve) => setTimeout(resolve, 400))
    gate.open()
    await (await stream).text()
    expect(await readWhole(other)).toMatchObject({ words: ['mind the sacks'], ends: ['end_turn'] })
    expect((await store.info(session))?.pending).toBe(0)
  })

  test('reaches the next owner, once, if the server is killed before it has delivered it', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const held = createLosable(store)
    const dying = open(held, slowScript, { tools: [tool('slow', () => gate.passed)] })
    handlers.pop()
    void ask(dying)
    await logHas(store, '"started"')
    // Once through another server, and once to the server itself, which reads its memory besides its inbox.
    const next = open(store, slowScript, {
      tools: [{ ...tool('slow', () => 'ground'), idempotent: true }],
    })
    for (const [server, words] of [
      [next, 'one'],
      [dying, 'two'],
    ] as const) {
      const received = await post(server, `${session}/steer`, { user_prompt: words })
      expect(await received.json()).toEqual({ steered: true })
    }
    held.lose()
    const { epoch = 0 } = (await store.info(session)) ?? {}
    await store.renew(session, epoch, { owner: 'dead', ms: 0 })
    expect(await next.recover()).toEqual([session])
    await expect.poll(() => next.activity().runs, { timeout: 10_000 }).toBe(0)
    expect(await readWhole(next)).toMatchObject({ words: ['one', 'two'], ends: ['end_turn'] })
    await expect.poll(async () => (await store.info(session))?.pending).toBe(0)
  })

  test('reaches a recovered run before it ends, however soon that is', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const held = createLosable(store)
    const dying = open(held, slowScript, { tools: [tool('slow', () => gate.passed)] })
    handlers.pop()
    void ask(dying)
    await logHas(store, '"started"')
    expect((await post(dying, `${session}/steer`, { user_prompt: 'one' })).status).toBe(200)
    held.lose()
    // Pending commands are found late, as in a slow store.
    const slow: Store = {
      ...store,
      info: async (name) => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        return store.info(name)
      },
    }
    const next = open(slow, slowScript, {
      tools: [{ ...tool('slow', () => 'ground'), idempotent: true }],
    })
    const { epoch = 0 } = (await store.info(session)) ?? {}
    await store.renew(session, epoch, { owner: 'dead', ms: 0 })
    await next.recover()
    await expect.poll(() => next.activity().runs, { timeout: 10_000 }).toBe(0)
    expect(await readWhole(next)).toMatchObject({ words: ['one'], ends: ['end_turn'] })
  })
})

describe('[CMD-1] an answer to a sub-agent that waits while others work', () => {
  const asking = { content: [call('c1', 'confirm')] }
  const asked = { content: [text('asked')] }
  const setUp = (gate: Promise<unknown>, replies: readonly ScriptedReply[]) => {
    const child = setUpChild(replies, { tools: [confirm] })
    const script = [{ content: [spawn('s1'), call('t1', 'slow')] }, { content: [text('done')] }]
    return { script, options: { subagents: [child.agent], tools: [tool('slow', () => gate)] } }
  }

  test('is kept if the server is killed right after it was acknowledged', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const held = createLosable(store)
    const first = setUp(gate.passed, [asking, asked])
    const dying = open(held, first.script, first.options)
    handlers.pop()
    void ask(dying)
    await logHas(store, 'awaiting_frontend_tools')
    await logHas(store, '"started"')
    const answered = await post(dying, 'tool_results', {
      agent_uuid: session,
      tool_results: [{ tool_use_id: 'c1', content: 'yes' }],
    })
    expect(answered.status).toBe(200)
    held.lose()
    const second = setUp(Promise.resolve('ground'), [asked])
    const next = open(store, second.script, second.options)
    const { epoch = 0 } = (await store.info(session)) ?? {}
    await store.renew(session, epoch, { owner: 'dead', ms: 0 })
    await next.recover()
    await expect.poll(() => next.activity().runs, { timeout: 10_000 }).toBe(0)
    const view = await next.fetch(new Request(`http://localhost/agent/${session}`))
    expect(await view.json()).toMatchObject({ status: 'ended', pending: [] })
    expect((await readWhole(next)).ends.at(-1)).toBe('end_turn')
  })

  test('is the first one that any server has stored; all servers reject others', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const { script, options } = setUp(gate.passed, [asking, asked])
    // It reads its inbox only on request.
    const owner = open(store, script, options)
    const others = [open(store, script, options), open(store, script, options)] as const
    void ask(owner)
    await logHas(store, 'awaiting_frontend_tools')
    await logHas(store, '"started"')
    const answer = async (server: Handler, content: string): Promise<number> => {
      const results = [{ tool_use_id: 'c1', content }]
      const body = { agent_uuid: session, tool_results: results }
      const response = await post(server, 'tool_results', body)
      await response.body?.cancel()
      return response.status
    }
    expect(await answer(others[0], 'yes')).toBe(200)
    expect(await answer(others[1], 'no')).toBe(409)
    expect(await answer(owner, 'no')).toBe(409)
    for (const server of [...others, owner]) expect(await answer(server, 'yes')).toBe(200)
    gate.open()
    await expect.poll(() => owner.activity().runs, { timeout: 10_000 }).toBe(0)
    const { results, ends } = await readWhole(owner)
    expect({ results, end: ends.at(-1) }).toEqual({ results: 3, end: 'end_turn' })
    await expect.poll(async () => (await store.info(session))?.pending).toBe(0)
  })
})

describe('[CMD-1] an acknowledged answer whose run is stopped', () => {
  const asking = { content: [call('c1', 'confirm'), call('a1', 'guarded')] }
  const guarded = { ...tool('guarded'), needsApproval: async () => true }
  const script = [{ content: [spawn('s1'), call('t1', 'slow')] }, { content: [text('done')] }]
  const openFamily = (store: Store, gate: Promise<unknown>): Handler => {
    const { agent } = setUpChild([asking], { tools: [confirm, guarded] })
    const slow = { ...tool('slow', () => gate), idempotent: true }
    return open(store, script, { subagents: [agent], tools: [slow] })
  }
  const result = { tool_results: [{ tool_use_id: 'c1', content: 'yes' }] }
  const decision = { approvals: [{ tool_use_id: 'a1', decision: 'approve' }] }
  const kinds = [
    ['a result', 'tool_results', result],
    ['a decision', 'tool_approvals', decision],
  ] as const

  /** Sends an answer with a key; returns the status and, of a refusal, the reason. */
  const send = async (server: Handler, path: string, given: object) => {
    const response = await post(server, path, { agent_uuid: session, message_id: 'k1', ...given })
    if (!response.ok) return [response.status, ((await response.json()) as { error: object }).error]
    await response.body?.cancel()
    return [response.status]
  }
  const isVoid = [409, expect.objectContaining({ code: 'conflict', reason: 'void' })]
  const begin = async (store: Store, server: Handler): Promise<void> => {
    void ask(server)
    await logHas(store, 'awaiting_frontend_tools')
    await logHas(store, '"started"')
  }
  const untilOver = async (server: Handler, store: Store): Promise<void> => {
    const isOver = async () => [server.activity().runs, (await store.info(session))?.pending]
    await expect.poll(isOver).toEqual([0, 0])
  }
  /** The frames about a call other than its announcement. */
  const fateOf = async (server: Handler, id: string) => {
    const path = `http://localhost/agent/${session}/stream?cursor=0`
    const messages = toMessages(await readStream(await server.fetch(new Request(path))))
    const seen = messages.filter((one) => one.id === id && one.type !== 'tool_call')
    return seen.map(({ type, stage, delta }) => (type === 'tool_status' ? stage : delta))
  }
  const unanswered = expect.stringContaining('stopped before this call was answered')

  test.each(kinds)('before it got the answer is void: %s', async (_, path, given) => {
    const store = createSharedStore()
    const read = createGate()
    const pending: Store['pending'] = async (...place) => {
      await read.passed
      return store.pending(...place)
    }
    const owner = openFamily({ ...store, pending }, new Promise(() => {}))
    const other = openFamily(store, new Promise(() => {}))
    await begin(store, owner)
    expect(await send(other, path, given)).toEqual([200])
    expect((await post(owner, `${session}/stop`, {})).status).toBe(200)
    await expect.poll(() => owner.activity().runs).toBe(0)
    read.open()
    await untilOver(owner, store)
    for (const server of [owner, other]) expect(await send(server, path, given)).toEqual(isVoid)
    expect(await fateOf(other, 'c1')).toEqual([unanswered])
    expect(await fateOf(other, 'a1')).toEqual(['approval_requested', unanswered])
  })

  test.each(kinds)('after it got the answer keeps it: %s', async (_, path, given) => {
    const store = createSharedStore()
    const owner = openFamily(store, new Promise(() => {}))
    await begin(store, owner)
    expect(await send(owner, path, given)).toEqual([200])
    await post(owner, `${session}/stop`, {})
    await untilOver(owner, store)
    expect(await send(owner, path, given)).toEqual([200])
    const [calls, stages] = [await fateOf(owner, 'c1'), await fateOf(owner, 'a1')]
    if (path === 'tool_results') expect(calls.at(-1)).toBe('yes')
    else expect(stages).toContain('approved')
  })
})

describe('[CMD-1] a command', () => {
  test('to a completed run does not affect the next run', async () => {
    const store = createSharedStore()
    const owner = open(store, [{ content: [text('one')] }, { content: [text('two')] }], {})
    await (await ask(owner)).text()
    await submit(store, 'stop', { type: 'stop' })
    const answers = { results: [{ toolUseId: 'c1', content: 'yes' }] }
    await submit(store, 'answer', { type: 'answer', answers })
    expect(await (await ask(owner, 'again')).text()).toContain('end_turn')
    expect((await readWhole(owner)).ends).toEqual(['end_turn', 'end_turn'])
    await expect.poll(() => outcomeOf(store, 'answer'), { timeout: 20_000 }).toBe('void')
    // Its run has ended, as planned.
    expect(await outcomeOf(store, 'stop')).toBe('done')
  })

  test('that follows one which begins a run reaches that run, without delaying others', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const script = [{ content: [call('c1', 'confirm')] }, ...slowScript]
    const owner = open(store, script, { tools: [confirm, tool('slow', () => gate.passed)] })
    await (await ask(owner)).text()
    const answers = { results: [{ toolUseId: 'c1', content: 'yes' }] }
    await submit(store, 'answer', { type: 'answer', answers })
    await submit(store, 'stop', { type: 'stop' })
    await owner.recover()
    await expect.poll(() => owner.activity().runs).toBe(0)
    expect((await readWhole(owner)).ends.at(-1)).toBe('aborted')
    await expect.poll(() => outcomeOf(store, 'stop')).toBe('done')
    expect(await outcomeOf(store, 'answer')).toBe('done')
    gate.open()
  })

  test('that is stored just after the pause takes effect when its wake-up arrives', async () => {
    const store: Store = { ...createMemoryStore(), isDurable: true }
    const script = [{ content: [call('c1', 'confirm')] }, { content: [text('done')] }]
    const owner = open(store, script, { tools: [confirm] })
    await (await ask(owner)).text()
    const answers = { results: [{ toolUseId: 'c1', content: 'yes' }] }
    await submit(store, 'answer', { type: 'answer', answers })
    await store.send(session, 'wake')
    await expect.poll(async () => (await readWhole(owner)).ends.at(-1)).toBe('end_turn')
  })

  test('that its run never awaits is read periodically, for any number of them', async () => {
    const shared: Store = { ...createMemoryStore(), isDurable: true }
    let looks = 0
    const store: Store = {
      ...shared,
      pending: (...place) => {
        looks++
        return shared.pending(...place)
      },
    }
    const gate = createGate()
    const owner = open(store, slowScript, { tools: [tool('slow', () => gate.passed)] })
    const stream = ask(owner)
    await logHas(store, '"started"')
    for (const callId of ['x1', 'x2']) {
      const answers = { results: [{ toolUseId: callId, content: 'yes' }] }
      await submit(store, callId, { type: 'answer', answers })
    }
    await store.send(session, 'wake')
    await expect.poll(() => looks).toBeGreaterThan(1)
    const before = looks
    for (let n = 0; n < 8; n++) await new Promise((resolve) => setTimeout(resolve, 200))
    // Each read of the inbox causes the next one after 200 ms, and not one for each command.
    expect(looks - before).toBeLessThan(20)
    gate.open()
    await (await stream).text()
    await expect.poll(() => outcomeOf(store, 'x1')).toBe('void')
    expect(await outcomeOf(store, 'x2')).toBe('void')
  })

  test('for which the inbox has no room has no effect', async () => {
    const store = createSharedStore()
    const gate = createGate()
    const owner = open(store, slowScript, { tools: [tool('slow', () => gate.passed)] })
    const stream = ask(owner)
    await logHas(store, '"started"')
    for (let n = 0; n < MAX_PENDING; n++) await submit(store, `k${n}`, { type: 'stop' }, 9)
    expect((await post(owner, `${session}/steer`, { user_prompt: 'hurry' })).status).toBe(503)
    gate.open()
    await (await stream).text()
    expect((await readWhole(owner)).words).toEqual([])
  })
})
