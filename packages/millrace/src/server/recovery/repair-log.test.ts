import { loadStored } from '../../../test/support/stores/load-stored.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import { afterEach, expect, test, vi } from 'vitest'
import {
  call,
  confirm,
  createGate,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, spawn } from '../../../test/support/agents/family.ts'
import {
  readStream,
  type ReadStream,
  toMessages,
} from '../../../test/support/frames/read-stream.ts'
import {
  byAnswers,
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { createVerifier } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const session = '00000000-0000-4000-8000-000000000000'

/** A server whose agent emits the same output as any other's, for the same conversation. */
function open(
  store: Store,
  replies: readonly ScriptedReply[],
  options: Partial<AgentOptions>,
): Handler {
  const model = createScriptedModel(replies, byAnswers)
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, ...options }) },
    defaultAgent: 'miller',
    store,
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

const read = async (handler: Handler): Promise<ReadStream> =>
  readStream(await handler.fetch(new Request(`http://localhost/agent/${session}/stream?cursor=0`)))

function faultsOf({ frames, isDone }: ReadStream): unknown[] {
  const verifier = createVerifier()
  return [...frames.flatMap(({ id, data }) => verifier.push(data, id)), ...verifier.end(isDone)]
}

async function hasTail(
  store: Store,
  isThere: (log: string) => boolean,
  name = session,
): Promise<void> {
  await expect
    .poll(async () => {
      const info = await store.info(name)
      const lines = info === undefined ? [] : await store.read(name, 0, info.tail + 1)
      return isThere(lines.map(({ line }) => new TextDecoder().decode(line)).join('\n'))
    })
    .toBe(true)
}

test('partial output of a sub-agent is rolled back, though others have stored their states since', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const gate = createGate()
  const script = [{ content: [spawn('t1'), call('t2', 'slow'), spawn('t3')] }]
  const hanging = {
    content: [text('half a')],
    openBlock: text('word'),
    hangs: 'until_aborted',
  } as const
  const { agent: child } = setUpChild([hanging, { content: [text('whole')] }])
  const first = open(store, script, {
    tools: [tool('slow', () => gate.passed.then(() => 'slow ran'))],
    subagents: [child],
  })
  const asked = await post(first, 'run', { agent_uuid: session, user_prompt: 'go' })
  await asked.body?.cancel()
  await hasTail(store, (log) => log.includes('wor') && log.includes('stop_reason=end_turn'))
  gate.open()
  await hasTail(store, (log) => log.includes('slow ran'))
  await first.close()
  const { agent: other } = setUpChild([{ content: [text('said again')] }])
  const second = open(store, script, {
    tools: [tool('slow', () => 'not again')],
    subagents: [other],
  })
  expect(await second.recover()).toEqual([session])
  const log = await read(second)
  expect(faultsOf(log)).toEqual([])
  const messages = toMessages(log)
  expect(messages.filter(({ type }) => type === 'rollback')).toHaveLength(1)
  const results = messages.filter(({ type }) => type === 'tool_result')
  expect(results.map(({ delta }) => delta)).toEqual([
    expect.stringContaining('whole'),
    'slow ran',
    expect.stringContaining('said again'),
  ])
})

test('an interrupted stop is completed', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const script = [{ content: [call('t1', 'confirm')] }]
  const first = open(store, script, { tools: [confirm] })
  await (await post(first, 'run', { agent_uuid: session, user_prompt: 'go' })).text()
  let isHeld = false
  const held: Store = {
    ...store,
    append: (append) => {
      // The launch is stored, the rest is not: its process dies.
      if (isHeld) return new Promise(() => {})
      isHeld = append.lines.length === 0
      return store.append(append)
    },
  }
  const dying = open(held, script, { tools: [confirm] })
  handlers.pop()
  expect(await (await post(dying, `${session}/stop`, {})).json()).toEqual({ stopped: true })
  const info = await store.info(session)
  expect(await loadStored(store, session)).toMatchObject({ status: 'running', stop: true })
  await store.renew(session, info?.epoch ?? 0, { owner: 'dead', ms: 0 })
  const second = open(store, script, { tools: [confirm] })
  expect(await second.recover()).toEqual([session])
  const log = await read(second)
  expect(faultsOf(log)).toEqual([])
  expect(JSON.parse(toMessages(log).at(-1)?.delta ?? '{}')).toMatchObject({
    stop_reason: 'aborted',
  })
})

/** A server that dies during its run, and one that offers the same agent. */
async function dieAtWork(die: (dying: Handler, lose: () => void) => Promise<void>) {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const script = [{ content: [call('t1', 'slow')] }, { content: [text('done')] }]
  const gate = createGate()
  const held = createLosable(store)
  const dying = open(held, script, { tools: [tool('slow', () => gate.passed)] })
  handlers.pop()
  void post(dying, 'run', { agent_uuid: session, user_prompt: 'go' })
  await hasTail(store, (log) => log.includes('"started"'))
  await die(dying, held.lose)
  const slow = vi.fn(() => 'ran')
  const second = open(store, script, { tools: [{ ...tool('slow', slow), idempotent: true }] })
  const expire = async (): Promise<void> => {
    const { epoch = 0 } = (await store.info(session)) ?? {}
    await store.renew(session, epoch, { owner: 'dead', ms: 0 })
  }
  const expectStopped = async (): Promise<void> => {
    const log = await read(second)
    expect(faultsOf(log)).toEqual([])
    const ends = toMessages(log).filter(({ type }) => type === 'meta_end')
    expect(
      ends.map(({ delta }) => (JSON.parse(delta) as { stop_reason: string }).stop_reason),
    ).toEqual(['aborted'])
    expect(slow).not.toHaveBeenCalled()
  }
  return { second, expire, expectStopped }
}

test('a stop of an active run takes effect though its server is killed right after the acknowledgement', async () => {
  const { second, expire, expectStopped } = await dieAtWork(async (dying, lose) => {
    expect(await (await post(dying, `${session}/stop`, {})).json()).toEqual({ stopped: true })
    lose()
  })
  await expire()
  expect(await second.recover()).toEqual([session])
  await expectStopped()
})

test('a stop is not acknowledged while the server of the run may be dead', async () => {
  const { second, expire, expectStopped } = await dieAtWork(async (_, lose) => lose())
  const stopping = post(second, `${session}/stop`, {})
  await expire()
  expect(await (await stopping).json()).toEqual({ stopped: true })
  await expectStopped()
})

test('a repeated approval of useChat after a crash reads the run that it resumed', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const script = [{ content: [call('t1', 'slow')] }, { content: [text('done')] }]
  const held = createLosable(store)
  const slow = { ...tool('slow', () => createGate().passed), needsApproval: async () => true }
  const dying = open(held, script, { tools: [slow] })
  handlers.pop()
  const id = 'chat'
  const say = (handler: Handler, message: object): Promise<Response> =>
    post(handler, '../ai-sdk/chat', { id, trigger: 'submit-message', messages: [message] })
  const asked = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'go' }] }
  const response = await say(dying, asked)
  const chat = response.headers.get('x-millrace-session') ?? ''
  await response.text()
  const approval = { id: 't1', approved: true }
  const part = { type: 'dynamic-tool', toolCallId: 't1', toolName: 'slow', input: {} }
  const parts = [{ ...part, state: 'approval-responded', approval }]
  const approved = { id: 'a', role: 'assistant', parts }
  void say(dying, approved)
  await hasTail(store, (log) => log.includes('"started"'), chat)
  held.lose()
  const { epoch = 0 } = (await store.info(chat)) ?? {}
  await store.renew(chat, epoch, { owner: 'dead', ms: 0 })
  const gate = createGate()
  const again = {
    ...tool('slow', () => gate.passed),
    needsApproval: async () => true,
    idempotent: true,
  }
  const second = open(store, script, { tools: [again] })
  expect(await second.recover()).toEqual([chat])
  const repeated = await say(second, approved)
  expect(repeated.status).toBe(200)
  gate.open()
  expect(await repeated.text()).toMatch(/"delta":"don"[^]*"type":"finish"/)
})

test('a tool is not started before its start is stored', async () => {
  const store = createMemoryStore()
  const order: string[] = []
  const watched: Store = {
    ...store,
    append: async (append) => {
      await new Promise((resolve) => setTimeout(resolve))
      const tail = await store.append(append)
      const text = append.lines.map((line) => new TextDecoder().decode(line)).join()
      if (text.includes('"stage":"started"')) order.push('stored')
      return tail
    },
  }
  const handler = open(watched, [{ content: [call('t1', 'w')] }], {
    tools: [tool('w', () => void order.push('run'))],
  })
  await (await post(handler, 'run', { agent_uuid: session, user_prompt: 'go' })).text()
  expect(order).toEqual(['stored', 'run'])
})

test('a run is recovered though the log no longer has all frames after its last state', async () => {
  const store: Store = { ...createMemoryStore({ maxMessagesPerSession: 20 }), isDurable: true }
  const long: ScriptedReply = { content: [text('flour '.repeat(100))], hangs: 'until_aborted' }
  const first = open(store, [long], {})
  await (await post(first, 'run', { agent_uuid: session, user_prompt: 'go' })).body?.cancel()
  await expect.poll(async () => (await store.info(session))?.earliest).toBeGreaterThan(20)
  await first.close()
  const next = open(store, [{ content: [text('bread')] }], {})
  expect(await next.recover()).toEqual([session])
  await expect.poll(async () => (await store.info(session))?.head).toContain('"status":"ended"')
})
