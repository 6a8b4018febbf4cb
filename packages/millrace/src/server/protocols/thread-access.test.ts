import { afterEach, expect, test } from 'vitest'
import { anything, call, text } from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import type { Action } from '../handler-options.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

const guarded = defineTool({
  name: 'guarded',
  description: '',
  input: anything,
  needsApproval: true,
  run: () => 'ran',
})

/** Opens a server that records, in order, its calls of `authorize` and of its store. */
function open() {
  const asked: string[] = []
  const collections: string[] = []
  const allowed = new Set<Action>(['run', 'read', 'answer', 'steer'])
  const store = createMemoryStore()
  const agent = createAgent({
    name: 'root',
    model: createScriptedModel([
      { content: [call('c1', 'guarded', {})] },
      { content: [text('Done.')] },
    ]),
    tools: [guarded],
  })
  const handler = createHandler({
    agents: { root: agent },
    defaultAgent: 'root',
    store: {
      ...store,
      parts: (session, collection, range, log) => {
        collections.push(collection)
        return store.parts(session, collection, range, log)
      },
      info: (session) => {
        asked.push('info')
        return store.info(session)
      },
    },
    node: 'node',
    authorize: (_, action) => {
      asked.push(action)
      return allowed.has(action)
    },
    view: () => {
      asked.push('view')
      return {}
    },
  })
  handlers.push(handler)
  const send = async (body: object, headers: object = {}): Promise<number> => {
    const input = { threadId: 't', runId: crypto.randomUUID(), messages: [], ...body }
    const request = new Request('http://localhost/ag-ui', {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json', ...headers },
    })
    const response = await handler.fetch(request)
    await response.text()
    return response.status
  }
  const allowOnly = (...actions: readonly Action[]): void => {
    allowed.clear()
    for (const action of actions) allowed.add(action)
    asked.length = 0
  }
  return { asked, collections, send, allowOnly }
}

const user = (id: string) => ({ id, role: 'user', content: 'go' })
const result = { id: 'm2', role: 'tool', toolCallId: 'c1', content: 'ran' }
const approval = { interruptId: 'c1', status: 'resolved', payload: { approved: true } }

test.each([
  ['a question', { messages: [user('m9')] }, ['run']],
  ['a question after results', { messages: [result, user('m9')] }, ['run', 'answer']],
  ['a decision', { resume: [approval] }, ['read', 'answer']],
  ['a look at the thread', {}, ['read']],
])('%s is rejected before the view or the store is read', async (_, body, actions) => {
  const { send, asked, allowOnly } = open()
  expect(await send({ messages: [user('m1')] })).toBe(200)
  allowOnly()
  expect(await send(body)).toBe(404)
  expect(asked).toEqual(actions)
})

test('a reconnecting client is rejected too', async () => {
  const { send, asked, allowOnly } = open()
  expect(await send({ messages: [user('m1')] })).toBe(200)
  allowOnly('run', 'answer', 'steer')
  expect(await send({ resume: [approval] }, { 'last-event-id': '1' })).toBe(404)
  expect(asked).toEqual(['read'])
})

test('a client with only the right to answer can answer, and nothing else', async () => {
  const { send, asked, allowOnly } = open()
  expect(await send({ messages: [user('m1')] })).toBe(200)
  allowOnly('answer')
  expect(await send({ messages: [result] })).toBe(404)
  expect(await send({ messages: [result, user('m9')] })).toBe(404)
  allowOnly('answer')
  expect(await send({ resume: [approval] })).toBe(200)
  expect(asked.filter((one) => one === 'answer')).toEqual(['answer'])
})

test('a reconnecting client causes no read of the conversation', async () => {
  const { send, collections } = open()
  expect(await send({ messages: [user('m1')] })).toBe(200)
  expect(await send({ resume: [approval] })).toBe(200)
  collections.length = 0
  expect(await send({ messages: [user('m1')] }, { 'last-event-id': '1' })).toBe(200)
  expect(await send({ messages: [] }, { 'last-event-id': '2' })).toBe(200)
  expect(collections.filter((name) => name !== 'own:record')).toEqual([])
})
