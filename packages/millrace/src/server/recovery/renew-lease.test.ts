import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { call, createGate, text, tool } from '../../../test/support/agents/agent-harness.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { MillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'

/** Starts a run whose model has been called and writes nothing for a long time. */
async function open(store: Store) {
  const model = createScriptedModel([{ content: [text('flour')], hangs: 'until_aborted' }])
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model }) },
    defaultAgent: 'miller',
    store,
    limits: { leaseMs: 30 },
  })
  const response = await handler.fetch(
    new Request('http://localhost/agent/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt: 'go' }),
    }),
  )
  await response.body?.cancel()
  await expect.poll(() => model.requests.length, { timeout: 10_000 }).toBe(1)
  return handler
}

test.each<[string, (store: Store) => Promise<unknown>]>([
  ['removed', (store) => store.remove(session)],
  ['taken over', (store) => store.open(session)],
])('a run whose session is %s ends even if it writes nothing', async (_, lose) => {
  const store = createMemoryStore()
  const handler = await open(store)
  await lose(store)
  await expect.poll(() => handler.activity().runs, { timeout: 10_000 }).toBe(0)
  await handler.close()
})

test('a run whose log was partly lost by the store ends even if it writes nothing', async () => {
  const store = createMemoryStore()
  let isLost = false
  const handler = await open({
    ...store,
    renew: async (...given) => {
      if (isLost) throw new MillraceError('log_truncated', 'Something was lost.')
      return store.renew(...given)
    },
  })
  isLost = true
  await expect.poll(() => handler.activity().runs, { timeout: 10_000 }).toBe(0)
  await handler.close()
})

test('sends no second renewal while one is pending', async () => {
  const store = createMemoryStore()
  let renewals = 0
  let isOpen = true
  const handler = await open({
    ...store,
    renew: async (...given) => {
      renewals++
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 5))
      return store.renew(...given)
    },
  })
  // From here on only the timer renews: a model call would need a confirmed lease.
  isOpen = false
  renewals = 0
  await expect.poll(() => renewals, { timeout: 10_000 }).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(renewals).toBe(1)
  isOpen = true
  await expect.poll(() => renewals, { timeout: 10_000 }).toBeGreaterThan(1)
  await handler.close()
})

/** Runs two model calls with a tool between them, and returns the stream from its first frame to its end. */
async function runTwoSteps(renew: (store: Store) => Store['renew']): Promise<string> {
  const memory = createMemoryStore()
  const store: Store = {
    ...memory,
    isDurable: true,
    // Answers when a confirmation of this age is no longer valid.
    append: async (given) => {
      const appended = await memory.append(given)
      await sleep(2 * third)
      return appended
    },
    renew: renew(memory),
  }
  const model = createScriptedModel([{ content: [call('c1', 'nap')] }, { content: [text('done')] }])
  const handler = createHandler({
    agents: { miller: createAgent({ name: 'miller', model, tools: [tool('nap')] }) },
    defaultAgent: 'miller',
    store,
    limits: { leaseMs: 3 * third },
    onError: () => {},
  })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ agent_uuid: session, user_prompt: 'go' })
  const init = { method: 'POST', headers, body }
  await (await handler.fetch(new Request('http://localhost/agent/run', init))).text()
  const stream = new Request(`http://localhost/agent/${session}/stream?last_event_id=0`)
  const read = await (await handler.fetch(stream)).text()
  await handler.close()
  await memory.close()
  return read
}

/** The age in milliseconds from which a confirmation is no longer valid. */
const third = 100

test('continues a run when each renewal is answered late', async () => {
  const read = await runTwoSteps((store) => async (...given) => {
    const renewed = await store.renew(...given)
    await sleep(1.5 * third)
    return renewed
  })
  expect(read).toContain('end_turn')
  expect(read).not.toContain('aborted')
})

test.each([false, 'on_request', true] as const)(
  'continues a run that its server left as the store did not answer, without a request (%s)',
  async (recovers) => {
    const memory = createMemoryStore()
    let isAway = false
    const whenReachable = async <T>(call: () => Promise<T>): Promise<T> => {
      if (isAway) throw new MillraceError('store_unavailable', 'Nothing answers.')
      return call()
    }
    const store: Store = {
      ...memory,
      isDurable: true,
      info: (name) => whenReachable(() => memory.info(name)),
      renew: (...given) => whenReachable(() => memory.renew(...given)),
      open: (...given) => whenReachable(() => memory.open(...given)),
      // Answers when a confirmation of this age is no longer valid.
      append: async (given) => {
        const appended = await memory.append(given)
        if (isAway) await sleep(6 * third)
        return appended
      },
    }
    const gate = createGate()
    const slow = { ...tool('slow', () => gate.passed), idempotent: true }
    const tools = [slow, tool('nap')]
    const replies = ['slow', 'nap'].map((name) => ({ content: [call(name, name)] }))
    const model = createScriptedModel([...replies, { content: [text('done')] }], byAnswers)
    const handler = createHandler({
      agents: { miller: createAgent({ name: 'miller', model, tools }) },
      defaultAgent: 'miller',
      store,
      recovers,
      limits: { leaseMs: 3 * third },
      onError: () => {},
    })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ agent_uuid: session, user_prompt: 'go' })
    const init = { method: 'POST', headers, body }
    await (await handler.fetch(new Request('http://localhost/agent/run', init))).body?.cancel()
    const started = async () => JSON.stringify(await memory.read(session, 0, 100))
    await expect.poll(() => model.requests.length, { timeout: 10_000 }).toBe(1)
    await expect.poll(started, { timeout: 10_000 }).not.toBe('[]')
    isAway = true
    // The next tool needs a lease, which is not confirmed.
    gate.open()
    await expect.poll(() => handler.activity().runs, { timeout: 20_000 }).toBe(0)
    isAway = false
    expect(await memory.info(session)).toMatchObject({
      epoch: 1,
      head: expect.stringContaining('"running"'),
    })
    const headIn = async () => (await memory.info(session))?.head
    await expect.poll(headIn, { timeout: 20_000 }).toMatch(/"status":"ended".*"end_turn"/)
    await handler.close()
  },
)

test('continues a run after its renewals failed for longer than its lease', async () => {
  const failing = Date.now() + 6 * third
  const read = await runTwoSteps((store) => async (...given) => {
    if (Date.now() < failing) throw new MillraceError('store_unavailable', 'Nothing answers.')
    return store.renew(...given)
  })
  expect(read).toContain('end_turn')
  expect(read).not.toContain('aborted')
})
