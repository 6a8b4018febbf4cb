import { afterEach, expect, test, vi } from 'vitest'
import { call, text, tool } from '../../../test/support/agents/agent-harness.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { type AgentOptions, createAgent } from '../../agent/create-agent.ts'
import { anthropic } from '../../models/anthropic/anthropic.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Append, Store } from '../../stores/port/index.ts'
import { createHandler } from '../handler.ts'
import type { HandlerOptions } from '../handler-options.ts'

const session = '00000000-0000-4000-8000-000000000000'
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  hasSlept = false
  afterAppend = () => {}
  for (const close of closing.splice(0).reverse()) await close()
})

let hasSlept = false
/** Called when an append is stored and its server does not have the result yet. */
let afterAppend: (append: Append) => Promise<void> | void = () => {}

/** A store over a network: after its freeze, a server gets results late. */
function createDistantStore(): Store {
  const store = createMemoryStore()
  return {
    ...store,
    isDurable: true,
    append: async (given) => {
      if (hasSlept) await new Promise((resolve) => setTimeout(resolve, 50))
      const stored = await store.append(given)
      await afterAppend(given)
      return stored
    },
  }
}

/** Takes the session over and advances the clock by a minute, as for a process that was stopped meanwhile. */
async function sleepThroughTakeOver(store: Store): Promise<void> {
  await store.open(session, { owner: 'other', ms: 60_000 })
  hasSlept = true
  const clock = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => clock() + 60_000)
}

function open(
  replies: readonly ScriptedReply[],
  agentOptions: (store: Store) => Partial<AgentOptions>,
  options: Partial<HandlerOptions> = {},
) {
  const store = createDistantStore()
  const model = createScriptedModel(replies)
  const agents = { miller: createAgent({ name: 'miller', model, ...agentOptions(store) }) }
  const handler = createHandler({ agents, defaultAgent: 'miller', store, ...options })
  closing.push(handler.close)
  const ask = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ agent_uuid: session, user_prompt: 'go' })
    const init = { method: 'POST', headers, body }
    await (await handler.fetch(new Request('http://localhost/agent/run', init))).text()
    await expect.poll(() => handler.activity().runs).toBe(0)
  }
  return { store, model, ask }
}

test('a server that resumes after its lease has lapsed makes no model call', async () => {
  const { model, ask } = open([{ content: [call('c1', 'nap')] }], (store) => ({
    tools: [tool('nap', () => sleepThroughTakeOver(store))],
  }))
  await ask()
  expect(model.requests.length).toBe(1)
})

test('and does not send the request of a call that had begun', async () => {
  const fetch = vi.fn(async () => Response.json({}))
  const model = anthropic('m', { apiKey: 'none', fetch })
  const { ask } = open([], (store) => ({
    model: {
      ...model,
      async *stream(...given) {
        await sleepThroughTakeOver(store)
        yield* model.stream(...given)
      },
    },
  }))
  await ask()
  expect(fetch).not.toHaveBeenCalled()
})

test('and makes no second attempt after a failed one', async () => {
  const failure = { type: 'overloaded_error', message: 'busy', retriable: true }
  const { model, ask } = open([{ outcome: 'failed', failure }], (store) => ({
    wait: () => sleepThroughTakeOver(store),
  }))
  await ask()
  expect(model.requests.length).toBe(1)
})

test('and makes no call of a sub-agent or of a compaction', async () => {
  const child = createScriptedModel([])
  const compacted = vi.fn((input: { readonly messages: readonly unknown[] }) => input.messages)
  let naps = 0
  const { model, ask } = open(
    [
      {
        content: [call('c1', 'nap'), call('c2', 'spawn_subagent', { name: 'child', prompt: 'x' })],
      },
    ],
    (store) => ({
      maxParallelTools: 1,
      tools: [
        tool('nap', async () => {
          naps = compacted.mock.calls.length
          await sleepThroughTakeOver(store)
        }),
      ],
      subagents: [createAgent({ name: 'child', model: child, description: 'x' })],
      compactor: { name: 'counted', compact: compacted as never },
    }),
  )
  await ask()
  expect(model.requests.length).toBe(1)
  expect(child.requests.length).toBe(0)
  expect(compacted.mock.calls.length).toBe(naps)
})

test('and starts no tool', async () => {
  const ran = vi.fn(() => 'done')
  const { store, ask } = open([{ content: [call('c1', 'nap')] }], () => ({
    tools: [tool('nap', ran)],
  }))
  afterAppend = async ({ lines }) => {
    const hasBegun = lines.some((line) => new TextDecoder().decode(line).includes('"started"'))
    if (hasBegun) await sleepThroughTakeOver(store)
  }
  await ask()
  expect(ran).not.toHaveBeenCalled()
})

test('and requests no title', async () => {
  const title = vi.fn(async () => 'a title')
  const { store, ask } = open([{ content: [text('hello')] }], () => ({}), { title })
  afterAppend = async () => {
    if (!hasSlept) await sleepThroughTakeOver(store)
  }
  await ask()
  expect(title).not.toHaveBeenCalled()
})

test('a recently confirmed lease is not confirmed again', async () => {
  const { store, model, ask } = open(
    [{ content: [call('c1', 'grind')] }, { content: [text('flour')] }],
    () => ({ tools: [tool('grind')] }),
  )
  const renew = vi.spyOn(store, 'renew')
  await ask()
  expect(model.requests.length).toBe(2)
  expect(renew).not.toHaveBeenCalled()
})
