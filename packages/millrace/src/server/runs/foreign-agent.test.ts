import { afterEach, describe, expect, test } from 'vitest'
import { createGate } from '../../../test/support/agents/agent-harness.ts'
import { createLosable } from '../../../test/support/stores/losable-store.ts'
import type { Agent } from '../../agent/port/index.ts'
import { type AgentEvent, createDecoder, noUsage, type StreamEvent } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'
const branch = '00000000-0000-4000-8000-000000000001'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

interface EchoOptions {
  readonly recovery?: Agent['recovery']
  /** Holds the text after its first words. */
  readonly wait?: Promise<unknown>
  /** Number of steps that end before the text. */
  readonly steps?: number
}

/** An agent that is a generator of events and keeps no state: it repeats its prompt. */
function createEcho({ recovery = 'rerun', wait, steps = 0 }: EchoOptions = {}): Agent {
  return {
    name: 'echo',
    recovery,
    async *run({ agent, prompt = '' }, { signal } = {}): AsyncGenerator<AgentEvent> {
      yield {
        type: 'run_start',
        agent,
        runId: `r-${String(prompt)}`,
        prompt,
        model: 'm',
        messages: [],
      }
      for (let step = 1; step <= steps; step++)
        yield { type: 'step_end', agent, step, stopReason: 'tool_use', usage: noUsage }
      const block = { agent, block: 0, kind: 'text', content: { type: 'text', text: '' } } as const
      yield { type: 'block_start', ...block }
      yield { type: 'block_delta', agent, block: 0, text: `You said ` }
      const stopped = new Promise((resolve) => signal?.addEventListener('abort', resolve))
      await Promise.race([wait, stopped])
      if (signal?.aborted === true) throw signal.reason
      yield { type: 'block_delta', agent, block: 0, text: String(prompt) }
      yield { type: 'block_end', ...block }
      const end = { type: 'run_end', agent, stopReason: 'end_turn', steps: 1 } as const
      yield { ...end, usage: noUsage, messages: [], files: [] }
    },
  }
}

function open(store: Store, agent: Agent): Handler {
  const agents = { echo: agent }
  const onViolation = (violation: unknown): never => {
    throw new Error(JSON.stringify(violation))
  }
  const handler = createHandler({ agents, defaultAgent: 'echo', store, onViolation })
  handlers.push(handler)
  return handler
}

const get = async (handler: Handler, path: string): Promise<unknown> =>
  (await handler.fetch(new Request(`http://localhost/agent/${path}`))).json()

const post = (handler: Handler, path: string, body: object): Promise<Response> =>
  handler.fetch(
    new Request(`http://localhost/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

const ask = (handler: Handler, prompt: string, uuid = session): Promise<Response> =>
  post(handler, 'run', { agent_uuid: uuid, user_prompt: prompt })

const said = (prompt: string) => [
  { role: 'user', content: [{ type: 'text', text: prompt }] },
  { role: 'assistant', content: [{ type: 'text', text: `You said ${prompt}` }] },
]

async function eventsIn(store: Store): Promise<readonly StreamEvent[]> {
  const lines = await store.read(session, 0, 10_000)
  const decoder = createDecoder()
  return lines.flatMap(({ line }) => decoder.decode(new TextDecoder().decode(line)) ?? [])
}

async function typesIn(store: Store): Promise<readonly string[]> {
  return (await eventsIn(store)).map((event) => event.type)
}

/** Starts a run whose server dies in the middle of its text, and opens another server with an agent. */
async function dieInText(next: Agent, dying: EchoOptions = {}) {
  const store: Store = { ...createMemoryStore(), isDurable: true, send: async () => {} }
  const held = createLosable(store)
  const lost = open(held, createEcho({ wait: new Promise(() => {}), ...dying }))
  handlers.pop()
  void ask(lost, 'wheat')
  await expect.poll(async () => (await typesIn(store)).includes('text')).toBe(true)
  held.lose()
  const { epoch = 0 } = (await store.info(session)) ?? {}
  await store.renew(session, epoch, { owner: 'dead', ms: 0 })
  const server = open(store, next)
  await server.recover()
  await expect.poll(() => server.activity().runs, { timeout: 10_000 }).toBe(0)
  return { store, server }
}

describe('an agent that is a plain generator of events', () => {
  test('runs, and has a history', async () => {
    const handler = open(createMemoryStore(), createEcho())
    expect(await (await ask(handler, 'rye')).text()).toContain('end_turn')
    await (await ask(handler, 'spelt')).text()
    expect(await get(handler, `${session}/conversations`)).toMatchObject({
      conversations: [
        { run_id: 'r-spelt', user_message: 'spelt', messages: said('spelt') },
        { run_id: 'r-rye', final_response: 'You said rye', messages: said('rye') },
      ],
    })
  })

  test('is forked between runs, and the branch continues separately', async () => {
    const handler = open(createMemoryStore(), createEcho())
    await (await ask(handler, 'rye')).text()
    const { tail } = (await get(handler, session)) as { tail: number }
    await (await ask(handler, 'spelt')).text()
    const forked = await post(handler, `${session}/fork`, { after: tail, branch_uuid: branch })
    expect(forked.status).toBe(200)
    await (await ask(handler, 'oats', branch)).text()
    const { conversations } = (await get(handler, `${branch}/conversations`)) as {
      conversations: { messages: unknown }[]
    }
    expect(conversations.map(({ messages }) => messages)).toEqual([said('oats'), said('rye')])
  })

  test('rejects messages while it runs, and is aborted by a stop', async () => {
    const gate = createGate()
    const store = createMemoryStore()
    const handler = open(store, createEcho({ wait: gate.passed }))
    const run = ask(handler, 'rye').then((response) => response.text())
    await expect.poll(async () => (await typesIn(store)).includes('text')).toBe(true)
    const steered = await post(handler, `${session}/steer`, { user_prompt: 'more' })
    expect(steered.status).toBe(409)
    const stopped = await post(handler, `${session}/stop`, {})
    expect(await stopped.json()).toMatchObject({ stopped: true })
    const received = await run
    expect(received).toContain('aborted')
    expect(received).not.toContain('"type":"error"')
  })

  test('starts again after a crash: the interrupted text is closed and rolled back', async () => {
    const { store, server } = await dieInText(createEcho())
    const types = await typesIn(store)
    expect(types.filter((type) => type === 'rollback')).toHaveLength(1)
    expect(await get(server, session)).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    expect(await get(server, `${session}/conversations`)).toMatchObject({
      conversations: [{ messages: said('wheat') }],
    })
  })

  test('rolls back the step after the last one that ended before a crash', async () => {
    const { store } = await dieInText(createEcho(), { steps: 2 })
    const rollbacks = (await eventsIn(store)).filter(({ type }) => type === 'rollback')
    expect(rollbacks).toMatchObject([{ step: 3 }])
  })

  test('ends with an error after a crash if it is declared as not restartable', async () => {
    const { store, server } = await dieInText(createEcho({ recovery: 'end' }))
    expect((await typesIn(store)).slice(-2)).toEqual(['error', 'run_end'])
    expect(await get(server, session)).toMatchObject({ status: 'ended', stop_reason: 'error' })
    expect(await (await ask(server, 'again')).text()).toContain('end_turn')
  })
})
