import { afterEach, expect, test } from 'vitest'
import { call, confirm, text, tool } from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createHandler, type Handler } from '../handler.ts'

const session = '00000000-0000-4000-8000-000000000000'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const agent = createAgent({ name: 'miller', model: createScriptedModel(replies), ...options })
  const store = createMemoryStore()
  const handler = createHandler({ agents: { miller: agent }, defaultAgent: 'miller', store })
  handlers.push(handler)
  const ask = async (prompt: unknown): Promise<string> => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent_uuid: session, user_prompt: prompt }),
    }
    return (await handler.fetch(new Request('http://localhost/agent/run', init))).text()
  }
  const history = async () => {
    const path = `http://localhost/agent/${session}/conversations`
    const response = await handler.fetch(new Request(path))
    expect(response.status).toBe(200)
    return (await response.json()) as {
      conversations: { sequence_number: number; user_message: string; messages: unknown[] }[]
    }
  }
  return { ask, history, store }
}

test('data similar to a reference to a part are emitted and sent unchanged', async () => {
  const { ask, history } = open([{ content: [text('one')] }, { content: [text('two')] }])
  const odd = { type: 'text', text: 'hi', $part: 1 }
  await ask([odd])
  expect(await ask('again')).toContain('end_turn')
  const { conversations } = await history()
  expect(conversations.at(-1)?.messages[0]).toEqual({ role: 'user', content: [odd] })
})

test('runs keep their messages when long results of earlier runs are dropped', async () => {
  const long = 'x'.repeat(300)
  const calls = Array.from({ length: 6 }, (_, n) => call(`t${n}`, 'grind'))
  const script = [
    { content: calls },
    { content: [text('ground')] },
    { content: [call('t9', 'grind')] },
    { content: [text('done')] },
  ]
  const limits = { maxResultChars: 100, maxKeptChars: 1_900 }
  const { ask, history } = open(script, { tools: [tool('grind', () => long)], ...limits })
  await ask('first')
  await ask('second')
  const { conversations } = await history()
  expect(conversations.map(({ messages }) => messages.length)).toEqual([4, 4])
})

test('each paused run has the results that it emitted', async () => {
  const waiting = (n: number): ScriptedReply => ({
    content: [call(`g${n}`, 'grind'), call(`c${n}`, 'confirm')],
  })
  let ground = 0
  const { ask, store } = open([waiting(1), waiting(2)], {
    tools: [confirm, tool('grind', () => `sack ${++ground}`)],
  })
  await ask('one')
  await ask('two')
  const rows = await store.parts(session, 'runs', { after: 0, limit: 10 })
  const received = rows.map(
    ({ body }) => (JSON.parse(body) as { at: { told: readonly unknown[] } }).at.told,
  )
  expect(received.map(({ length }) => length)).toEqual([1, 1])
  expect(received[0]).not.toEqual(received[1])
})
