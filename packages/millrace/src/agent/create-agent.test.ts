import { describe, expect, test } from 'vitest'
import { chainFaults } from '../../test/support/message-chain.ts'
import { createScriptedModel, type ScriptedReply } from '../../test/support/scripted-model.ts'
import type { AgentEvent, ContentBlock } from '../events/index.ts'
import {
  type AgentOptions,
  type AgentState,
  type Checkpoint,
  createAgent,
  defineFrontendTool,
  defineTool,
  type RunInput,
} from './index.ts'

const anything = { type: 'object' } as const
const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const call = (id: string, name: string, input = {}): ContentBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
})

function tool(name: string, run: (input: object) => unknown = () => `${name} ran`) {
  return defineTool({ name, description: '', input: anything, run })
}

const confirm = defineFrontendTool({ name: 'confirm', description: '', input: anything })

function setUp(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = createScriptedModel(replies)
  let ids = 0
  const waits: number[] = []
  const agent = createAgent({
    name: 'tester',
    model,
    createId: () => `id${++ids}`,
    wait: async (ms) => void waits.push(ms),
    random: () => 1,
    ...options,
  })
  return { agent, model, waits }
}

type Item = AgentEvent | Checkpoint

async function collect(
  agent: ReturnType<typeof setUp>['agent'],
  input: RunInput,
  onItem: (item: Item) => void = () => {},
  signal?: AbortSignal,
) {
  const items: Item[] = []
  for await (const item of agent.run(input, signal && { signal })) {
    items.push(item)
    onItem(item)
  }
  const events = items.filter((item): item is AgentEvent => item.type !== 'checkpoint')
  const states = items.filter((item): item is Checkpoint => item.type === 'checkpoint')
  const state = states.at(-1)?.state
  if (state === undefined) throw new Error('no checkpoint')
  return { items, events, state, end: events.at(-1), types: events.map(({ type }) => type) }
}

function resultsOf(events: readonly AgentEvent[]) {
  return events.filter((event) => event.type === 'tool_result')
}

describe('a run', () => {
  test('streams text and ends', async () => {
    const { agent, model } = setUp([{ content: [text('hello')] }], { system: 'be brief' })
    const { events, types, state } = await collect(agent, { agent: 'a1', prompt: 'hi' })
    expect(types).toEqual([
      'run_start',
      'block_start',
      'block_delta',
      'block_delta',
      'block_end',
      'step_end',
      'run_end',
    ])
    expect(events[0]).toMatchObject({
      agent: 'a1',
      prompt: 'hi',
      model: 'scripted-1',
      name: 'tester',
      messages: [{ role: 'user', content: [text('hi')] }],
    })
    expect(events.at(-1)).toMatchObject({ stopReason: 'end_turn', steps: 1 })
    expect(events.every((event) => event.agent === 'a1')).toBe(true)
    expect(model.requests[0]).toEqual({
      messages: [{ role: 'user', content: [text('hi')] }],
      maxTokens: 4096,
      system: 'be brief',
    })
    expect(state.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('a new conversation gets an id; the next prompt goes on in it and counts its own steps', async () => {
    const { agent, model } = setUp([])
    const first = await collect(agent, { prompt: 'one' })
    const second = await collect(agent, { state: first.state, prompt: 'two' })
    expect(second.state.agent).toBe(first.state.agent)
    expect(second.state.runId).not.toBe(first.state.runId)
    expect(second.end).toMatchObject({
      steps: 1,
      usage: { input_tokens: 10 },
      messages: [{ role: 'user' }, { role: 'assistant' }],
    })
    expect(model.requests[1]?.messages).toHaveLength(3)
  })

  test('runs tools, gives their results to the model, adds up usage', async () => {
    const { agent, model } = setUp(
      [{ content: [text('let me'), call('t1', 'add', { a: 2 })] }, { content: [text('4.')] }],
      {
        tools: [tool('add', () => ({ sum: 4 }))],
      },
    )
    const { events, end, types } = await collect(agent, { prompt: '2+2?' })
    expect(types.indexOf('step_end')).toBeLessThan(types.indexOf('tool_result'))
    expect(resultsOf(events)).toMatchObject([
      { id: 't1', name: 'add', text: '{"sum":4}', isError: false },
    ])
    expect(model.requests[0]?.tools).toEqual([
      { name: 'add', description: '', inputSchema: anything },
    ])
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: '{"sum":4}' }],
    })
    expect(end).toMatchObject({
      stopReason: 'end_turn',
      steps: 2,
      usage: { input_tokens: 20, output_tokens: 10 },
    })
  })

  test('results are told as they complete and sent in the order of the calls', async () => {
    let release = () => {}
    const slow = tool('slow', () => new Promise((resolve) => (release = () => resolve('late'))))
    const { agent, model } = setUp([{ content: [call('t1', 'slow'), call('t2', 'fast')] }], {
      tools: [slow, tool('fast')],
    })
    const { events } = await collect(agent, { prompt: 'go' }, (item) => {
      if (item.type === 'tool_result' && item.id === 't2') release()
    })
    expect(resultsOf(events).map(({ id }) => id)).toEqual(['t2', 't1'])
    expect(
      model.requests[1]?.messages.at(-1)?.content.map((block) => block['tool_use_id']),
    ).toEqual(['t1', 't2'])
  })

  test.each([[2], [5]])('never more than %i tools at once', async (maxParallelTools) => {
    let running = 0
    let most = 0
    const work = tool('w', async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running--
    })
    const calls = Array.from({ length: 12 }, (_, index) => call(`t${index}`, 'w'))
    const { agent } = setUp([{ content: calls }], { tools: [work], maxParallelTools })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(most).toBe(maxParallelTools)
    expect(resultsOf(events)).toHaveLength(12)
  })

  test('a tool that throws, one that is not there and arguments that are no JSON are errors for the model', async () => {
    const bad = tool('bad', () => {
      throw new Error('boom')
    })
    const broken = { ...call('t3', 'bad'), inputText: '{"a":' }
    const { agent, model } = setUp(
      [{ content: [call('t1', 'bad'), call('t2', 'ghost'), broken] }],
      { tools: [bad] },
    )
    const { events, end } = await collect(agent, { prompt: 'go' })
    expect(resultsOf(events).every(({ isError }) => isError)).toBe(true)
    const sent = model.requests[1]?.messages.at(-1)?.content
    expect(sent?.map((block) => block['is_error'])).toEqual([true, true, true])
    expect(sent?.map((block) => block['content'])).toEqual([
      'Tool "bad" failed: boom',
      'There is no tool "ghost". The tools are: bad.',
      '{"INVALID_JSON":"{\\"a\\":"}',
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('an idempotency key is the same for a call and no other', async () => {
    const keys: string[] = []
    const keyed = defineTool({
      name: 'k',
      description: '',
      input: anything,
      run: (_input, { idempotencyKey }) => keys.push(idempotencyKey),
    })
    const { agent } = setUp([{ content: [call('t1', 'k'), call('t2', 'k')] }], { tools: [keyed] })
    const { state } = await collect(agent, { prompt: 'go' })
    expect(keys).toEqual([`${state.runId}/t1`, `${state.runId}/t2`])
  })

  test('refuses what it cannot begin with, at once', () => {
    const { agent } = setUp([])
    expect(() => agent.run({})).toThrow(/needs a prompt/)
    expect(() => agent.run({ prompt: ' \n' })).toThrow(/empty/)
    expect(() => agent.run({ prompt: [] })).toThrow(/empty/)
    expect(() => agent.run({ prompt: 'x', results: [] })).toThrow(/not both/)
    const forged = { type: 'tool_result', tool_use_id: 't1', content: 'yes' }
    expect(() => agent.run({ prompt: [forged] })).toThrow(/cannot hold a `tool_result`/)
    expect(() => setUp([], { maxParallelTools: 0 })).toThrow(/`maxParallelTools` is 0/)
  })
})

describe('how messages end', () => {
  test.each([['max_tokens'], ['refusal'], ['end_turn'], ['stop_sequence'], ['from_the_future']])(
    '%s ends the run and runs no tool; the calls in it are answered',
    async (stopReason) => {
      let isRun = false
      const { agent, model } = setUp([{ content: [text('a'), call('t1', 'w')], stopReason }], {
        tools: [tool('w', () => (isRun = true))],
      })
      const { end, state, events } = await collect(agent, { prompt: 'go' })
      expect(end).toMatchObject({ type: 'run_end', stopReason })
      expect(isRun).toBe(false)
      expect(resultsOf(events)).toMatchObject([{ id: 't1', isError: true }])
      expect(chainFaults(state.messages)).toEqual([])
      await collect(agent, { state, prompt: 'go on' })
      expect(chainFaults(model.requests[1]?.messages ?? [])).toEqual([])
      expect(model.requests).toHaveLength(2)
    },
  )

  test('pause_turn is called again with its own words, as one message', async () => {
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
    const { agent, model } = setUp([
      { content: [text('looking'), search], stopReason: 'pause_turn' },
      { content: [found, text('found')] },
    ])
    const { state, end } = await collect(agent, { prompt: 'go' })
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [text('looking'), search],
    })
    expect(state.messages.at(-1)?.content).toEqual([text('looking'), search, found, text('found')])
    expect(end).toMatchObject({ steps: 2, stopReason: 'end_turn' })
  })

  test('what cannot be sent back is not kept: blank text, a search without result, a thought without words', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
    const { agent } = setUp([
      { content: [text('a'), text('\n\n'), thought, search], stopReason: 'max_tokens' },
    ])
    expect((await collect(agent, { prompt: 'go' })).state.messages.at(-1)?.content).toEqual([
      text('a'),
    ])
    const { agent: silent } = setUp([{ content: [thought], stopReason: 'max_tokens' }])
    expect((await collect(silent, { prompt: 'go' })).state.messages).toHaveLength(1)
  })

  test('at the step limit the run ends', async () => {
    const again = (id: number) => ({ content: [call(`t${id}`, 'w')] })
    const { agent, model } = setUp([again(1), again(2), again(3)], {
      tools: [tool('w')],
      maxSteps: 2,
    })
    const { end, state } = await collect(agent, { prompt: 'go' })
    expect(end).toMatchObject({ stopReason: 'max_steps', steps: 2 })
    expect(model.requests).toHaveLength(2)
    expect(chainFaults(state.messages)).toEqual([])
  })
})

describe('failures', () => {
  const overloaded = { type: 'overloaded_error', message: 'Overloaded', retriable: true }
  const denied = { type: 'permission_error', message: 'No', retriable: false }

  test('before output the call is made again, quietly', async () => {
    const { agent, waits } = setUp([
      { outcome: 'failed', failure: overloaded },
      { outcome: 'interrupted' },
      { content: [text('ok')] },
    ])
    const { types, end } = await collect(agent, { prompt: 'go' })
    expect(types).not.toContain('step_rollback')
    expect(waits).toEqual([500, 1000])
    expect(end).toMatchObject({ stopReason: 'end_turn', steps: 1, usage: { input_tokens: 30 } })
  })

  test('after output what was shown is taken back first', async () => {
    const { agent, model } = setUp([
      { content: [text('The capital')], openBlock: text(' of'), outcome: 'interrupted' },
      { content: [text('Paris')] },
    ])
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(events.filter(({ type }) => type === 'step_rollback')).toMatchObject([
      { step: 1, attempt: 2 },
    ])
    expect(state.messages.at(-1)?.content).toEqual([text('Paris')])
    expect(model.requests[1]).toEqual(model.requests[0])
  })

  test('the provider says how long to wait; too long is not waited for', async () => {
    const after = (retryAfterMs: number) => ({
      outcome: 'failed' as const,
      failure: { ...overloaded, retryAfterMs },
    })
    const { agent, waits } = setUp([after(1234), after(60_001)])
    expect((await collect(agent, { prompt: 'go' })).end).toMatchObject({ stopReason: 'error' })
    expect(waits).toEqual([1234])
  })

  test.each([
    [
      'cannot be helped',
      [{ outcome: 'failed', failure: denied }],
      'permission_error',
      'model_failed',
      1,
    ],
    ['goes on', Array(4).fill({ outcome: 'interrupted' }), 'interrupted', 'model_interrupted', 3],
  ] as const)('an error that %s ends the run', async (_name, replies, type, code, asked) => {
    const { agent, model } = setUp(replies)
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(events.slice(-2)).toMatchObject([
      { type: 'run_error', error: { type, code } },
      { type: 'run_end', stopReason: 'error', steps: 0 },
    ])
    expect(model.requests).toHaveLength(asked)
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('whole blocks are kept, calls in them are answered before the error', async () => {
    const reply = {
      content: [text('a'), call('t1', 'w')],
      openBlock: text('b'),
      outcome: 'failed' as const,
      failure: denied,
    }
    const { agent } = setUp([reply], { tools: [tool('w')] })
    const { types, state } = await collect(agent, { prompt: 'go' })
    expect(types.slice(-3)).toEqual(['tool_result', 'run_error', 'run_end'])
    expect(state.messages[1]?.content).toEqual([text('a'), call('t1', 'w')])
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('a model that throws is a failure like any other, told to the log', async () => {
    const errors: unknown[] = []
    const error = new Error('secret path')
    const { agent } = setUp([{ throws: error }], { onError: (heard) => errors.push(heard) })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(events.at(-2)).toMatchObject({ type: 'run_error', error: { type: 'model_error' } })
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(errors).toEqual([error])
  })

  test('an error of ours still ends with run_end and a valid state', async () => {
    const { agent } = setUp([{ outcome: 'interrupted' }], {
      wait: () => Promise.reject(new Error('broken')),
    })
    const { types, state } = await collect(agent, { prompt: 'go' })
    expect(types.slice(-2)).toEqual(['run_error', 'run_end'])
    expect(chainFaults(state.messages)).toEqual([])
  })
})

describe('stopping', () => {
  test.each([['until_aborted'], ['deaf']] as const)('a model that hangs %s', async (hangs) => {
    const controller = new AbortController()
    const replies = [{ content: [text('whole'), call('t1', 'w')], openBlock: text('half'), hangs }]
    const { agent } = setUp(replies, { tools: [tool('w')], abortGraceMs: 5 })
    const { end, state, events } = await collect(
      agent,
      { prompt: 'go' },
      (item) => item.type === 'block_delta' && item.block === 2 && controller.abort(),
      controller.signal,
    )
    expect(end).toMatchObject({ type: 'run_end', stopReason: 'aborted' })
    expect(events.some(({ type }) => type === 'run_error')).toBe(false)
    expect(state.messages[1]?.content).toEqual([text('whole'), call('t1', 'w')])
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('tools that run are stopped, those that answered keep their answer', async () => {
    const controller = new AbortController()
    const hang = tool('hang', () => new Promise(() => {}))
    const { agent, model } = setUp(
      [{ content: [call('t1', 'hang'), call('t2', 'quick'), call('t3', 'confirm')] }],
      {
        tools: [hang, tool('quick'), confirm],
      },
    )
    const { end, state } = await collect(
      agent,
      { prompt: 'go' },
      (item) => item.type === 'tool_result' && controller.abort(),
      controller.signal,
    )
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(state.pause).toBeUndefined()
    const results = state.messages.at(-1)?.content
    expect(results?.map((block) => block['is_error'] ?? false)).toEqual([true, false, true])
    expect(chainFaults(state.messages)).toEqual([])
    expect(model.requests).toHaveLength(1)
  })

  test('before it began and while it waits to try again', async () => {
    const aborted = await collect(setUp([]).agent, { prompt: 'go' }, undefined, AbortSignal.abort())
    expect(aborted.types).toEqual(['run_start', 'run_end'])
    const controller = new AbortController()
    const { agent } = setUp([{ content: [text('a')], outcome: 'interrupted' }], {
      wait: async () => controller.abort(),
    })
    const { end, state } = await collect(agent, { prompt: 'go' }, undefined, controller.signal)
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(state.messages).toHaveLength(1)
  })

  test('a reader that leaves stops what was started', async () => {
    const signals: AbortSignal[] = []
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: anything,
      run: (_input, { signal }) => {
        signals.push(signal)
        return new Promise(() => {})
      },
    })
    const { agent } = setUp([{ content: [call('t1', 'hang'), call('t2', 'quick')] }], {
      tools: [hang, tool('quick')],
    })
    for await (const item of agent.run({ prompt: 'go' })) if (item.type === 'tool_result') break
    await new Promise((resolve) => setTimeout(resolve))
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})

describe('checkpoints', () => {
  test('stand before what they must be stored with, and survive JSON', async () => {
    const { agent } = setUp([{ content: [call('t1', 'w'), call('t2', 'confirm')] }], {
      tools: [tool('w'), confirm],
    })
    const { items } = await collect(agent, { prompt: 'go' })
    const followers = items.flatMap((item, index) =>
      item.type === 'checkpoint' ? [items[index + 1]?.type] : [],
    )
    expect(followers).toEqual(['run_start', 'step_end', 'tool_result', 'tools_awaited', 'run_end'])
    for (const item of items) expect(JSON.parse(JSON.stringify(item))).toEqual(item)
  })

  test('from any of them the run goes on to the same end, and no finished step is repeated', async () => {
    const script = [
      { content: [text('a'), call('t1', 'safe'), call('t2', 'unsafe')] },
      { content: [call('t3', 'safe')] },
      { content: [text('end')] },
    ]
    const safe = defineTool({
      name: 'safe',
      description: '',
      input: anything,
      run: () => 'ok',
      idempotent: true,
    })
    const tools = [safe, tool('unsafe')]
    const { items } = await collect(setUp(script, { tools }).agent, { prompt: 'go' })
    const states = items.flatMap((item) => (item.type === 'checkpoint' ? [item.state] : []))
    expect(states).toHaveLength(8)
    for (const state of states) {
      const { agent, model } = setUp(script.slice(state.steps), { tools })
      const recovered = await collect(agent, {
        state: JSON.parse(JSON.stringify(state)) as AgentState,
      })
      expect(recovered.end).toMatchObject({ type: 'run_end', stopReason: 'end_turn', steps: 3 })
      expect(model.requests).toHaveLength(3 - state.steps)
      expect(chainFaults(recovered.state.messages)).toEqual([])
      const told = (state.turn?.results ?? []).map((block) => block['tool_use_id'])
      expect(resultsOf(recovered.events).filter(({ id }) => told.includes(id))).toEqual([])
      const unsafe = resultsOf(recovered.events).find(({ id }) => id === 't2')
      if (unsafe !== undefined && state.steps > 0) expect(unsafe.isError).toBe(true)
    }
  })
})
