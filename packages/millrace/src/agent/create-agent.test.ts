import { describe, expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  resultsOf,
  setUpAgent,
  text,
  tool,
} from '../../test/support/agents/agent-harness.ts'
import { chainFaults } from '../../test/support/models/message-chain.ts'
import { type AgentOptions, createAgent } from './create-agent.ts'
import type { AgentState } from './state/agent-state.ts'
import { defineTool } from '../tools/define-tool.ts'

describe('a run', () => {
  test('streams text and ends', async () => {
    const { agent, model } = setUpAgent([{ content: [text('hello')] }], { system: 'be brief' })
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
    expect(model.requests[0]).toMatchObject({
      messages: [{ role: 'user', content: [text('hi')] }],
      maxTokens: 4096,
      system: 'be brief',
    })
    expect(state.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('a new conversation gets an id; the next prompt continues it and counts its own steps', async () => {
    const { agent, model } = setUpAgent([])
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

  test('runs tools, sends their results to the model, adds up usage', async () => {
    const { agent, model } = setUpAgent(
      [{ content: [text('let me'), call('t1', 'add', { a: 2 })] }, { content: [text('4.')] }],
      {
        tools: [tool('add', () => ({ sum: 4 }))],
      },
    )
    const { events, end, types } = await collect(agent, { prompt: '2+2?' })
    expect(types.indexOf('step_end')).toBeLessThan(types.indexOf('tool_result'))
    expect(resultsOf(events)).toMatchObject([
      { callId: 't1', name: 'add', text: '{"sum":4}', isError: false },
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

  test('results are emitted as they complete and sent in the order of the calls', async () => {
    let release = () => {}
    const slow = tool('slow', () => new Promise((resolve) => (release = () => resolve('late'))))
    const { agent, model } = setUpAgent([{ content: [call('t1', 'slow'), call('t2', 'fast')] }], {
      tools: [slow, tool('fast')],
    })
    const { events } = await collect(agent, { prompt: 'go' }, (item) => {
      if (item.type === 'tool_result' && item.callId === 't2') release()
    })
    expect(resultsOf(events).map(({ callId }) => callId)).toEqual(['t2', 't1'])
    expect(
      model.requests[1]?.messages.at(-1)?.content.map((block) => block['tool_use_id']),
    ).toEqual(['t1', 't2'])
  })

  test.each([[2], [5]])('runs at most %i tools concurrently', async (maxParallelTools) => {
    let running = 0
    let most = 0
    const work = tool('w', async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running--
    })
    const calls = Array.from({ length: 12 }, (_, index) => call(`t${index}`, 'w'))
    const { agent } = setUpAgent([{ content: calls }], { tools: [work], maxParallelTools })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(most).toBe(maxParallelTools)
    expect(resultsOf(events)).toHaveLength(12)
  })

  test('a tool that throws, an unknown tool and arguments that are not JSON are errors for the model', async () => {
    const bad = tool('bad', () => {
      throw new Error('boom')
    })
    const broken = { ...call('t3', 'bad'), inputText: '{"a":' }
    const { agent, model } = setUpAgent(
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

  test('an idempotency key is the same for the same call and different for others', async () => {
    const keys: string[] = []
    const keyed = defineTool({
      name: 'k',
      description: '',
      input: anything,
      run: (_input, { idempotencyKey }) => keys.push(idempotencyKey),
    })
    const { agent } = setUpAgent([{ content: [call('t1', 'k'), call('t2', 'k')] }], {
      tools: [keyed],
    })
    const { state } = await collect(agent, { prompt: 'go' })
    expect(keys).toEqual([`${state.runId}/t1`, `${state.runId}/t2`])
  })

  test('rejects an invalid start at once', () => {
    const { agent } = setUpAgent([])
    expect(() => agent.run({})).toThrow(/needs a prompt/)
    expect(() => agent.run({ prompt: ' \n' })).toThrow(/empty/)
    expect(() => agent.run({ prompt: [] })).toThrow(/empty/)
    expect(() => agent.run({ prompt: 'x', results: [] })).toThrow(/send one of them/)
    const forged = { type: 'tool_result', tool_use_id: 't1', content: 'yes' }
    expect(() => agent.run({ prompt: [forged] })).toThrow(/cannot hold a `tool_result`/)
    expect(() => setUpAgent([], { maxParallelTools: 0 })).toThrow(/`maxParallelTools` is 0/)
  })
})

describe('ends of messages', () => {
  test.each([['max_tokens'], ['refusal'], ['end_turn'], ['stop_sequence'], ['from_the_future']])(
    '%s ends the run and runs no tool; its calls get results',
    async (stopReason) => {
      let isRun = false
      const { agent, model } = setUpAgent([{ content: [text('a'), call('t1', 'w')], stopReason }], {
        tools: [tool('w', () => (isRun = true))],
      })
      const { end, state, events } = await collect(agent, { prompt: 'go' })
      expect(end).toMatchObject({ type: 'run_end', stopReason })
      expect(isRun).toBe(false)
      expect(resultsOf(events)).toMatchObject([{ callId: 't1', isError: true }])
      expect(chainFaults(state.messages)).toEqual([])
      await collect(agent, { state, prompt: 'go on' })
      expect(chainFaults(model.requests[1]?.messages ?? [])).toEqual([])
      expect(model.requests).toHaveLength(2)
    },
  )

  test('pause_turn repeats the request with the partial answer, as one message', async () => {
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
    const { agent, model } = setUpAgent([
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

  test('content that cannot be sent back is not kept: blank text, a search without a result, thinking without text', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
    const { agent } = setUpAgent([
      { content: [text('a'), text('\n\n'), thought, search], stopReason: 'max_tokens' },
    ])
    expect((await collect(agent, { prompt: 'go' })).state.messages.at(-1)?.content).toEqual([
      text('a'),
    ])
    const { agent: silent } = setUpAgent([{ content: [thought], stopReason: 'max_tokens' }])
    expect((await collect(silent, { prompt: 'go' })).state.messages).toHaveLength(1)
  })

  test('at the step limit the model is asked for a final answer without calls, and the run ends', async () => {
    const again = (id: number) => ({ content: [call(`t${id}`, 'w')] })
    const { agent, model } = setUpAgent([again(1), again(2), again(3)], {
      tools: [tool('w')],
      maxSteps: 2,
    })
    const { end, state } = await collect(agent, { prompt: 'go' })
    expect(end).toMatchObject({ stopReason: 'max_steps', steps: 2 })
    expect(model.requests).toHaveLength(3)
    expect(model.requests[2]).toMatchObject({ toolChoice: 'none', tools: [{ name: 'w' }] })
    expect(model.requests[2]?.system).toContain('final answer')
    expect(chainFaults(state.messages)).toEqual([])
  })
})

test.each([
  { retries: Number.NaN },
  { retryDelayMs: -1 },
  { maxRetryDelayMs: Number.NaN },
  { abortGraceMs: Number.NaN },
  { maxAnswerChecks: -1 },
  { maxKeptChars: 0 },
  { maxKeptSubagents: Number.NaN },
])('an invalid limit is rejected: %j', (limit) => {
  expect(() => setUpAgent([], limit)).toThrow(`\`${Object.keys(limit)[0]}\` is`)
})

describe('invalid options are rejected with a message', () => {
  const { model } = setUpAgent([])
  test.each<[string, object, RegExp]>([
    ['no name', { model }, /needs a `name`/],
    ['a blank name', { name: ' ', model }, /needs a `name`/],
    ['no model', { name: 'x' }, /needs a `model`/],
    ['one that there is not', { name: 'x', model, toolz: [] }, /no option `toolz`/],
  ])('%s', (_, options, message) => {
    expect(() => createAgent(options as AgentOptions)).toThrow(message)
  })

  test('an invalid state', () => {
    const { agent } = setUpAgent([])
    expect(() => agent.resume('x' as unknown as AgentState)).toThrow(/not an agent state/)
  })
})

test('a result contains the reason why its run failed', async () => {
  const failure = { type: 'authentication_error', message: 'no key', retriable: false }
  const { agent } = setUpAgent([{ outcome: 'failed', failure }])
  const result = await agent.run({ prompt: 'go' }).result()
  expect(result).toMatchObject({ stopReason: 'error', error: { type: 'authentication_error' } })
})
