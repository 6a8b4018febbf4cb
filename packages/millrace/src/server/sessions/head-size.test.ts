import { afterEach, expect, test } from 'vitest'
import { call, text, tool } from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { payloadOf, readStream } from '../../../test/support/frames/read-stream.ts'
import { createAgent } from '../../agent/create-agent.ts'
import type { Agent } from '../../agent/port/index.ts'
import { type AgentEvent, type Model, noCost, noUsage } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { MAX_HEAD_BYTES } from '../../stores/port/index.ts'
import { createHandler, type Handler } from '../handler.ts'
import { encodeHead } from './session-record.ts'

const session = '00000000-0000-4000-8000-000000000000'
const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(agent: Agent) {
  const handler = createHandler({
    agents: { main: agent },
    defaultAgent: 'main',
    store: createMemoryStore(),
  })
  handlers.push(handler)
  const send = (path: string, body?: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json' }
    const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return handler.fetch(new Request(`http://localhost/agent/${path}`, post))
  }
  return {
    ask: async () => readStream(await send('run', { agent_uuid: session, user_prompt: 'go' })),
    view: async (path: string): Promise<unknown> => (await send(path)).json(),
  }
}

const names = Array.from({ length: 200 }, (_, index) => `a model with the number ${index}`)
const detail = 'x'.repeat(5_000)

/** A model that reports another name with each answer, and a long field in its usage. */
function createTalkative(): Model {
  const usage = { input_tokens: 10, output_tokens: 5, detail }
  const replies = names.map((_, index) => ({ content: [call(`c${index}`, 'grind')], usage }))
  const scripted = createScriptedModel([...replies.slice(1), { content: [text('flour')], usage }])
  return {
    ...scripted,
    async *stream(request, options) {
      const model = names[scripted.requests.length] ?? ''
      for await (const event of scripted.stream(request, options))
        yield event.type === 'message_start' ? { ...event, model } : event
    },
  }
}

test('a run with long usage reports and many models completes, and its history has all of both', async () => {
  const prices = Object.fromEntries(names.map((name) => [name, { input: 1, output: 1 }]))
  const { ask, view } = open(
    createAgent({
      name: 'miller',
      model: createTalkative(),
      tools: [tool('grind')],
      maxSteps: names.length,
      prices,
    }),
  )
  expect(payloadOf(await ask(), 'meta_end')).toMatchObject({
    stop_reason: 'end_turn',
    usage: { detail },
    cost: { model_id: names.join(', ') },
  })
  expect(await view(session)).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
  expect(await view('sessions')).toMatchObject({ sessions: [{ stop_reason: 'end_turn' }] })
  expect(await view(`${session}/conversations`)).toMatchObject({
    conversations: [{ usage: { input_tokens: 2_000, output_tokens: 1_000, detail } }],
  })
})

test('a run of a foreign agent with a long id and a long stop reason completes, and its history has the id', async () => {
  const runId = 'r'.repeat(10_000)
  const { ask, view } = open({
    name: 'talker',
    async *run({ agent }): AsyncGenerator<AgentEvent> {
      yield { type: 'run_start', agent, runId, prompt: 'go', model: 'none', messages: [] }
      const end = { type: 'run_end', agent, stopReason: 's'.repeat(10_000), steps: 1 } as const
      yield { ...end, usage: noUsage, messages: [], files: [] }
    },
  })
  expect(payloadOf(await ask(), 'meta_init')).toMatchObject({ run_id: runId })
  expect(await view(session)).toMatchObject({ status: 'ended', total_runs: 1 })
  expect(await view('sessions')).toMatchObject({ sessions: [{ status: 'ended' }] })
  expect(await view(`${session}/conversations`)).toMatchObject({
    conversations: [{ run_id: runId }],
  })
})

test('the head of a session has its greatest size with texts that JSON escapes, and stores accept it', () => {
  const control = '\u0001'.repeat(80)
  const wide = '\u{ffff}'.repeat(10_000)
  const most = Number.MAX_SAFE_INTEGER
  const amount = 1_234.567_890_123_456
  const amounts = { input: amount, output: amount, cacheRead: amount, cacheWrite: amount }
  const cache = { cache_creation_input_tokens: most, cache_read_input_tokens: most }
  const quotes = '"'.repeat(200)
  const head = encodeHead({
    version: 2,
    agentType: 'a'.repeat(256),
    title: control,
    isRenamed: true,
    createdAt: most,
    updatedAt: most,
    runs: most,
    status: 'running',
    stopReason: wide,
    history: 'all',
    toolInput: 'buffered',
    prompt: { key: `client:${quotes}`, digest: 'd'.repeat(64), messageId: quotes },
    startedAt: most,
    recordedAt: most,
    unsettledFrom: most,
    lastRollback: most,
    lastDecision: most,
    bytes: most,
    runFirst: most,
    run: {
      id: wide,
      steps: most,
      usage: { input_tokens: most, output_tokens: most, ...cache, detail: wide },
      cost: { ...noCost, ...amounts, tools: amount, total: amount, modelId: wide },
    },
    rootAgent: session,
    forkedFrom: { session, frame: most },
  })
  expect(new TextEncoder().encode(head).length).toBeLessThanOrEqual(MAX_HEAD_BYTES)
})
