import { afterEach, describe, expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { readStream, toMessages } from '../../../test/support/frames/read-stream.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'

const handlers: Handler[] = []
const polling = { timeout: 20_000 }
const session = '00000000-0000-4000-8000-000000000000'

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const createStore = (): Store => ({ ...createMemoryStore(), isDurable: true })
const hanging: ScriptedReply = { content: [text('flour')], hangs: 'until_aborted' }
const bread: ScriptedReply = { content: [text('bread')] }

/** A server that offers agents by these names. */
function open(store: Store, offered: Readonly<Record<string, ScriptedReply>>) {
  const errors: unknown[] = []
  const agents = Object.fromEntries(
    Object.entries(offered).map(([name, reply]) => [
      name,
      createAgent({ name, model: createScriptedModel([reply]) }),
    ]),
  )
  const [defaultAgent = ''] = Object.keys(offered)
  const onError = (error: unknown) => errors.push(error)
  const handler = createHandler({ agents, defaultAgent, store, onError })
  handlers.push(handler)
  const send = (path: string, body?: object, method = 'POST'): Promise<Response> =>
    handler.fetch(
      new Request(`http://localhost/agent/${path}`, {
        ...(body && { method, body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json' },
      }),
    )
  return { handler, send, errors }
}

/** Loses a run of each session: its server hands them over when it stops. */
async function lose(store: Store, agent: string, sessions: readonly string[] = [session]) {
  const { handler, send } = open(store, { [agent]: hanging })
  for (const one of sessions) {
    const response = await send('run', { agent_uuid: one, user_prompt: 'go' })
    await response.body?.cancel()
  }
  await handler.close()
}

describe('a server that does not offer the agent of a lost run', () => {
  test('leaves it to a server that does, and shows its readers the end', async () => {
    const store = createStore()
    const older = open(store, { baker: bread })
    await lose(store, 'miller')
    expect(await older.handler.recover()).toEqual([])
    expect(await (await older.send(session)).json()).toMatchObject({ status: 'running' })
    const reading = older.send(`${session}/stream`).then((response) => readStream(response))
    const newer = open(store, { miller: bread })
    expect(await newer.handler.recover()).toEqual([session])
    const stream = await reading
    expect(stream.isDone).toBe(true)
    const types = toMessages(stream).map(({ type }) => type)
    expect(types).toContain('meta_end')
    expect(types).not.toContain('error')
    expect(older.errors).toEqual([])
  })

  test('answers commands with 503, so that they reach another server, and deletes', async () => {
    const store = createStore()
    const older = open(store, { baker: bread })
    await lose(store, 'miller')
    const { tail } = (await store.info(session)) ?? {}
    const commands = [
      older.send('run', { agent_uuid: session, user_prompt: 'more' }),
      older.send(`${session}/stop`, {}),
      older.send(`${session}/steer`, { user_prompt: 'more' }),
      older.send(session, { title: 'Rye' }, 'PATCH'),
    ]
    for (const response of await Promise.all(commands)) {
      expect(response.status).toBe(503)
      expect(await response.text()).toMatch(/does not offer its agent miller/)
    }
    expect((await store.info(session))?.tail).toBe(tail)
    expect((await older.send(session, {}, 'DELETE')).status).toBe(200)
    expect(await store.info(session)).toBeUndefined()
  })

  test('recovers other runs, however many it leaves', async () => {
    const store = createStore()
    const ids = Array.from(
      { length: 230 },
      (_, n) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    )
    await lose(store, 'miller', ids)
    await lose(store, 'baker')
    const older = open(store, { baker: bread })
    expect(await older.handler.recover()).toEqual([session])
    expect(older.errors).toEqual([])
  })

  test('leaves its queued prompts, which a server that offers it starts', async () => {
    const store = createStore()
    const first = open(store, { miller: hanging })
    const response = await first.send('run', { agent_uuid: session, user_prompt: 'go' })
    await response.body?.cancel()
    const queued = { agent_uuid: session, user_prompt: 'next', when_busy: 'queue' }
    const waiting = await first.send('run', { ...queued, message_id: 'm2' })
    await waiting.body?.cancel()
    await first.handler.close()
    const older = open(store, { baker: bread })
    await older.handler.recover()
    expect(await (await older.send(session)).json()).toMatchObject({
      queue: [{ message_id: 'm2' }],
    })
    const newer = open(store, { miller: bread })
    await newer.handler.recover()
    const look = async () => (await newer.send(session)).json()
    await expect.poll(look, polling).toMatchObject({ status: 'ended', total_runs: 2, queue: [] })
  })
})
