import { afterEach, expect, test } from 'vitest'
import { call, createGate, text, tool } from '../../../test/support/agents/agent-harness.ts'
import { openCommandServer } from '../../../test/support/servers/command-server.ts'
import { setUpChild, spawn } from '../../../test/support/agents/family.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import { toMessages } from '../../../test/support/frames/read-stream.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import type { Envelope } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { PartChange, Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import { RECORD, recordParts } from '../sessions/record-writer.ts'
import { decodeHead } from '../sessions/session-record.ts'

const session = '00000000-0000-4000-8000-000000000000'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

/** A server whose agent spawns a sub-agent, which runs until the gate opens. */
function open(store: Store): Handler {
  const gate = createGate()
  const slow = { ...tool('slow', () => gate.passed), idempotent: true }
  const child = setUpChild([{ content: [call('c1', 'slow')] }, { content: [text('dug')] }], {
    tools: [slow],
  })
  const model = createScriptedModel(
    [{ content: [spawn('s1')] }, { content: [text('done')] }],
    byAnswers,
  )
  const agent = createAgent({ name: 'miller', model, subagents: [child.agent] })
  const handler = createHandler({ agents: { miller: agent }, defaultAgent: 'miller', store })
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

async function readLog(store: Store): Promise<readonly Envelope[]> {
  const entries = await store.read(session, 0, 10_000).catch(() => [])
  const frames = entries.map(({ id, line }) => ({ id, data: new TextDecoder().decode(line) }))
  return toMessages({ frames })
}

test('[CMD-1] a stop of one agent is stored before it is acknowledged, and takes effect though the server is killed', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  const held = createLosable(store)
  const dying = open(held)
  handlers.pop()
  void post(dying, 'run', { agent_uuid: session, user_prompt: 'go' })
  const findStarted = async () =>
    (await readLog(store)).find(({ agent, stage }) => agent !== session && stage === 'started')
  await expect.poll(findStarted, { timeout: 20_000 }).toBeDefined()
  const { agent: child = '' } = (await findStarted()) ?? {}
  held.lose()
  // Writes of the run are not stored any more; its inbox is.
  const stopped = await post(dying, `${session}/stop`, { agent: child })
  expect(await stopped.json()).toEqual({ stopped: true })
  expect((await store.info(session))?.pending).toBe(1)
  const next = open(store)
  const { epoch = 0 } = (await store.info(session)) ?? {}
  await store.renew(session, epoch, { owner: 'dead', ms: 0 })
  await next.recover()
  await expect.poll(() => next.activity().runs, { timeout: 20_000 }).toBe(0)
  const ends = (await readLog(store))
    .filter(({ type }) => type === 'meta_end')
    .map(({ agent, delta }) => [agent, (JSON.parse(delta) as { stop_reason: string }).stop_reason])
  expect(ends).toEqual([
    [child, 'aborted'],
    [session, 'end_turn'],
  ])
  await expect.poll(async () => (await store.info(session))?.pending).toBe(0)
})

test('[CMD-1] a stop that is forwarded to another server does not affect a run that begins here meanwhile', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true, send: async () => {} }
  const [asked, passed] = [createGate(), createGate()]
  const submit: Store['submit'] = async (...command) => {
    asked.open()
    await passed.passed
    return store.submit(...command)
  }
  const owner = openCommandServer(store)
  const other = openCommandServer({ ...store, submit })
  handlers.push(owner.handler, other.handler)
  const first = await owner.ask('hold', { agent_uuid: session })
  const stopped = other.post(`${session}/stop`, {})
  await asked.passed
  // It waits for the lock of the session, which the stop holds.
  const second = other.ask('hold', { agent_uuid: session })
  owner.gate.open()
  expect(await first.text()).toContain('end_turn')
  await expect.poll(async () => (await store.info(session))?.lease).toBeUndefined()
  passed.open()
  const stream = await second
  expect((await stopped).status).toBe(200)
  other.gate.open()
  expect(await stream.text()).toContain('end_turn')
})

test('[CMD-1] a stop is taken by a run that another server has stopped and left, and that is recovered to end', async () => {
  const store: Store = { ...createMemoryStore(), isDurable: true }
  let isStopped = false
  const isStop = ({ collection, number, body }: PartChange): boolean =>
    collection === RECORD && number === recordParts.stop && body !== null
  // The server stops here: nothing after the stop is stored.
  const append: Store['append'] = async (change) => {
    if (isStopped) return new Promise(() => {})
    const kept = (change.parts ?? []).some(isStop)
    isStopped ||= kept
    return store.append(change)
  }
  const dying = open({ ...store, append })
  handlers.pop()
  void post(dying, 'run', { agent_uuid: session, user_prompt: 'go' })
  const hasStarted = async () => (await readLog(store)).some(({ stage }) => stage === 'started')
  await expect.poll(hasStarted, { timeout: 20_000 }).toBe(true)
  expect(await (await post(dying, `${session}/stop`, {})).json()).toEqual({ stopped: true })
  const { epoch = 0 } = (await store.info(session)) ?? {}
  await store.renew(session, epoch, { owner: 'dead', ms: 0 })
  const next = open(store)
  const again = await post(next, `${session}/stop`, {})
  expect(await again.json()).toEqual({ stopped: true })
  expect(decodeHead((await store.info(session))?.head ?? '')).toMatchObject({
    status: 'ended',
    stopReason: 'aborted',
  })
})
