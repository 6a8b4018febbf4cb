import { afterEach, describe, expect, test } from 'vitest'
import { call, createGate, text, tool } from '../../../test/support/agents/agent-harness.ts'
import {
  type CommandServer,
  type CommandServerOptions,
  endsIn,
  openCommandServer,
  queueIn,
  runsIn,
  session,
} from '../../../test/support/servers/command-server.ts'
import { setUpChild, spawn } from '../../../test/support/agents/family.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import { type ReadStream, toMessages } from '../../../test/support/frames/read-stream.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'

const servers: CommandServer[] = []
const polling = { timeout: 20_000 }

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ handler }) => handler.close()))
})

/** A store of many servers whose wake-ups are all lost. */
function createSharedStore(): Store {
  return { ...createMemoryStore(), isDurable: true, send: async () => {} }
}

function open(store: Store, options?: CommandServerOptions): CommandServer {
  const server = openCommandServer(store, options)
  servers.push(server)
  return server
}

const body = { user_prompt: 'mind the sacks', message_id: 's1' }

/** Sends a message to the run; returns the status and the response. */
async function steer(server: CommandServer, given: object = body): Promise<[number, unknown]> {
  const response = await server.post(`${session}/steer`, given)
  return [response.status, await response.json()]
}

const acknowledged = [200, { steered: true }]

/** The message in a log: sent to a run, or as the prompt of a run. */
function tellingsIn(log: ReadStream): readonly string[] {
  return toMessages(log).flatMap(({ type, delta }) => {
    const query = type === 'meta_init' && (JSON.parse(delta) as { user_query: string }).user_query
    const isReceived =
      query === body.user_prompt || (type === 'user_message' && delta.includes('sacks'))
    return isReceived ? [type] : []
  })
}

function stagesIn(log: ReadStream): readonly unknown[] {
  return toMessages(log).map(({ stage }) => stage)
}

/** The reasons for which messages had no effect, by their keys. */
function voidsIn(log: ReadStream): readonly unknown[] {
  return toMessages(log)
    .filter(({ type, state }) => type === 'queued_prompt' && state === 'void')
    .map(({ message_id: id, delta }) => [id, delta])
}

async function untilSettled(server: CommandServer, store: Store): Promise<void> {
  await expect.poll(async () => (await store.info(session))?.pending, polling).toBe(0)
  await expect.poll(async () => (await server.view()).status, polling).toBe('ended')
}

/** Makes the lease of an inactive server expire. */
async function lapse(store: Store): Promise<void> {
  const { epoch = 0, lease } = (await store.info(session)) ?? {}
  if (lease !== undefined) await store.renew(session, epoch, { owner: 'dead', ms: 0 })
}

/** A store that counts appends from the call of `arm` on; `before` is awaited before the append of that number. */
function createCounted(store: Store, place: number, before: () => Promise<void>) {
  let count = -1
  const append: Store['append'] = async (given) => {
    if (count >= 0 && count++ === place) await before()
    return store.append(given)
  }
  return { store: { ...store, append }, arm: () => (count = 0), count: () => count }
}

/** A store that stores messages when they are released; `asked` resolves when one has arrived. */
function createHeld(store: Store) {
  const [asked, gate, stored] = [createGate(), createGate(), createGate()]
  const submit: Store['submit'] = async (...given) => {
    asked.open()
    await gate.passed
    const submission = await store.submit(...given)
    stored.open()
    return submission
  }
  const letIn = async (): Promise<void> => {
    gate.open()
    await stored.passed
  }
  return { store: { ...store, submit }, asked: asked.passed, letIn }
}

describe('[CMD-1] a message that another server stores at any moment', () => {
  /** Stores the message before a certain append of the run; returns false if it makes fewer. */
  const play = async (place: number, dies: boolean): Promise<boolean> => {
    const shared = createSharedStore()
    const held = createHeld(shared)
    const losable = createLosable(shared)
    const counted = createCounted(losable, place, async () => {
      await held.letIn()
      if (dies) losable.lose()
    })
    const owner = openCommandServer(counted.store)
    if (!dies) servers.push(owner)
    const other = open(held.store)
    other.gate.open()
    void owner.ask('hold', { message_id: 'm0' }).then((response) => response.text())
    await expect.poll(async () => stagesIn(await read(shared)), polling).toContain('started')
    const sent = steer(other)
    await held.asked
    counted.arm()
    owner.gate.open()
    const isOver = async () =>
      counted.count() > place || (await shared.info(session))?.lease === undefined
    await expect.poll(isOver, polling).toBe(true)
    await held.letIn()
    expect(await sent).toEqual(acknowledged)
    if (dies) {
      await lapse(shared)
      await other.handler.recover()
    }
    await untilSettled(other, shared)
    const log = await other.log()
    expect(tellingsIn(log)).toHaveLength(1)
    expect(voidsIn(log)).toEqual([])
    expect(new Set(endsIn(log))).toEqual(new Set(['end_turn']))
    expect(await steer(other)).toEqual(acknowledged)
    expect((await shared.info(session))?.pending).toBe(0)
    return counted.count() > place
  }

  test.each([
    ['takes effect once: the run is told it, or it begins the next run', false],
    ['takes effect once, though the server of the run dies at that moment', true],
  ])('%s', async (_name, dies) => {
    let place = 0
    while (await play(place, dies)) place++
    expect(place).toBeGreaterThan(2)
  })

  test('is delivered to the next run if that is active', async () => {
    const store = createSharedStore()
    const held = createHeld(store)
    const owner = open(store)
    const other = open(held.store)
    const first = await owner.ask('hold', { message_id: 'm0' })
    const sent = steer(other)
    await held.asked
    owner.gate.open()
    await first.text()
    const next = open(store, { limits: { leaseMs: 300 } })
    const second = await next.ask('hold on', { message_id: 'm1' })
    await held.letIn()
    expect(await sent).toEqual(acknowledged)
    next.gate.open()
    await second.text()
    await untilSettled(next, store)
    const log = await next.log()
    expect(tellingsIn(log)).toHaveLength(1)
    expect(runsIn(log).slice(0, 2)).toEqual(['m0', 'm1'])
  })

  test('begins the next run if the run has a pending approval, as a prompt with when_busy steer does', async () => {
    const store = createSharedStore()
    const owner = open(store)
    await (await owner.ask('ask', { message_id: 'm0' })).text()
    expect((await steer(owner))[0]).toBe(409)
    const command = { type: 'prompt', messageId: 's2', whenBusy: 'steer', prompt: 'on', at: 0 }
    const stored = { run: 1, command: { ...command, history: false, toolInput: 'buffered' } }
    await store.submit(session, { key: 'late', body: JSON.stringify(stored) })
    await owner.handler.recover()
    await untilSettled(owner, store)
    expect(runsIn(await owner.log())).toEqual(['m0', 's2'])
  })
})

test('[CMD-1] a message that the run receives while the pending commands are read begins no other run', async () => {
  const shared = createSharedStore()
  const [asked, released] = [createGate(), createGate()]
  const pending: Store['pending'] = async (...place) => {
    const found = await shared.pending(...place)
    if (found.length > 0) asked.open()
    await released.passed
    return found
  }
  const owner = open({ ...shared, pending })
  const first = await owner.ask('hold', { message_id: 'm0' })
  expect(await steer(owner)).toEqual(acknowledged)
  await asked.passed
  owner.gate.open()
  await first.text()
  released.open()
  await owner.handler.recover()
  await untilSettled(owner, shared)
  const log = await owner.log()
  expect([tellingsIn(log), voidsIn(log), runsIn(log)]).toEqual([['user_message'], [], ['m0']])
})

describe('[CMD-5] a message without an effect is reported as void, with the reason', () => {
  const stopped = 'The run of this message was stopped.'
  const notAtWork = 'The agent of this message is no longer active.'
  const refusal = { error: { code: 'conflict', reason: 'void' } }

  test.each(['the server of the run', 'another server'])(
    'if its run was stopped, and does not begin another one, at %s',
    async (where) => {
      const store = createSharedStore()
      const owner = open(store)
      const other = open(store)
      const first = await owner.ask('hold', { message_id: 'm0' })
      const asked = where === 'another server' ? other : owner
      expect(await steer(asked)).toEqual(acknowledged)
      expect(await (await owner.post(`${session}/stop`, {})).json()).toEqual({ stopped: true })
      expect(await (await owner.ask('go on', { message_id: 'm1' })).text()).toContain('end_turn')
      await first.text()
      await untilSettled(owner, store)
      const log = await owner.log()
      expect(voidsIn(log)).toEqual([['s1', stopped]])
      expect(tellingsIn(log)).toEqual([])
      expect(runsIn(log)).toEqual(['m0', 'm1'])
      const again = await steer(other)
      expect(again).toMatchObject([409, refusal])
      expect(await steer(owner)).toEqual(again)
      expect(owner.errors).toEqual([])
    },
  )

  test('once, if nothing follows', async () => {
    const store = createSharedStore()
    const owner = open(store)
    const first = await owner.ask('hold', { message_id: 'm0' })
    expect(await steer(owner)).toEqual(acknowledged)
    await owner.post(`${session}/stop`, {})
    await first.text()
    await untilSettled(owner, store)
    await owner.handler.recover()
    expect(voidsIn(await owner.log())).toEqual([['s1', stopped]])
    expect(await owner.view()).toMatchObject({ total_runs: 1, queue: [] })
  })

  test('if its agent is not active, during the run and after its end', async () => {
    for (const isLate of [false, true]) {
      const store = createSharedStore()
      const owner = open(store, { limits: { leaseMs: isLate ? 60_000 : 300 } })
      const other = open(store)
      const first = await owner.ask('hold')
      expect(await steer(other, { ...body, agent: `${session}.9` })).toEqual(acknowledged)
      const lost = { user_prompt: 'x', message_id: 's2', agent: `${session}.9` }
      expect((await steer(owner, lost))[0]).toBe(409)
      if (!isLate)
        await expect.poll(async () => queueIn(await read(store)), polling).toHaveLength(1)
      owner.gate.open()
      await first.text()
      await untilSettled(owner, store)
      expect(voidsIn(await owner.log())).toEqual([['s1', notAtWork]])
      expect(await steer(other, { ...body, agent: `${session}.9` })).toMatchObject([409, refusal])
    }
  })
})

/** The frames of the log of a current run. */
async function read(store: Store): Promise<ReadStream> {
  const lines = await store.read(session, 0, 10_000)
  const frames = lines.map(({ id, line }) => ({ id, data: new TextDecoder().decode(line) }))
  return { status: 200, frames, comments: [], isDone: false }
}

test('[CMD-1] a message to a sub-agent reaches it once though the server is killed', async () => {
  const store = createSharedStore()
  const losable = createLosable(store)
  const setUp = (passed: Promise<unknown>): CommandServerOptions => {
    const slow = { ...tool('slow', () => passed), idempotent: true }
    const child = setUpChild([], {
      tools: [slow],
      model: createScriptedModel([{ content: [call('t1', 'slow')] }], byAnswers),
    })
    const replies = [{ content: [spawn('s1')] }, { content: [text('all done')] }]
    const model = createScriptedModel(replies, byAnswers)
    return { agent: { model, subagents: [child.agent], tools: [] } }
  }
  const dying = openCommandServer(losable, setUp(new Promise(() => {})))
  void dying.ask('go')
  await expect.poll(async () => stagesIn(await read(store)), polling).toContain('started')
  expect(await steer(dying, { ...body, agent: `${session}.1` })).toEqual(acknowledged)
  losable.lose()
  await lapse(store)
  // The run is recovered late, so that the message arrives before the sub-agent is active again.
  const looked = createGate()
  let looks = 0
  const pending: Store['pending'] = async (...place) => {
    if (looks++ === 0) await looked.passed
    else setTimeout(looked.open, 50)
    return store.pending(...place)
  }
  const next = open({ ...store, pending }, setUp(Promise.resolve('ground')))
  await next.handler.recover()
  await untilSettled(next, store)
  const received = toMessages(await next.log()).filter(({ type }) => type === 'user_message')
  expect(received).toMatchObject([
    { agent: `${session}.1`, delta: body.user_prompt, message_id: 's1' },
  ])
})
