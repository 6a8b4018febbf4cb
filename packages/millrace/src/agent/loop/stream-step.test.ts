import { describe, expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  confirm,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import { defineTool } from '../../tools/define-tool.ts'

describe('failures', () => {
  const overloaded = { type: 'overloaded_error', message: 'Overloaded', retriable: true }
  const denied = { type: 'permission_error', message: 'No', retriable: false }

  test('before output repeat the call without an event', async () => {
    const { agent, waits } = setUpAgent([
      { outcome: 'failed', failure: overloaded },
      { outcome: 'interrupted' },
      { content: [text('ok')] },
    ])
    const { types, end } = await collect(agent, { prompt: 'go' })
    expect(types).not.toContain('rollback')
    expect(waits).toEqual([500, 1000])
    expect(end).toMatchObject({ stopReason: 'end_turn', steps: 1, usage: { input_tokens: 30 } })
  })

  test('after output first roll back the emitted output', async () => {
    const { agent, model } = setUpAgent([
      { content: [text('The capital')], openBlock: text(' of'), outcome: 'interrupted' },
      { content: [text('Paris')] },
    ])
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(events.filter(({ type }) => type === 'rollback')).toMatchObject([
      { step: 1, attempt: 2 },
    ])
    expect(state.messages.at(-1)?.content).toEqual([text('Paris')])
    expect(model.requests[1]).toEqual(model.requests[0])
  })

  test('follow the retry delay of the provider, unless it is too long', async () => {
    const after = (retryAfterMs: number) => ({
      outcome: 'failed' as const,
      failure: { ...overloaded, retryAfterMs },
    })
    const { agent, waits } = setUpAgent([after(1234), after(60_001)])
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
    [
      'goes on',
      Array.from({ length: 4 }, () => ({ outcome: 'interrupted' as const })),
      'interrupted',
      'model_interrupted',
      3,
    ],
  ] as const)('an error that %s ends the run', async (_name, replies, type, code, asked) => {
    const { agent, model } = setUpAgent(replies)
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', kind: type, code },
      { type: 'run_end', stopReason: 'error', steps: 0 },
    ])
    expect(model.requests).toHaveLength(asked)
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('keep complete blocks, and answer calls in them before the error', async () => {
    const reply = {
      content: [text('a'), call('t1', 'w')],
      openBlock: text('b'),
      outcome: 'failed' as const,
      failure: denied,
    }
    const { agent } = setUpAgent([reply], { tools: [tool('w')] })
    const { types, state } = await collect(agent, { prompt: 'go' })
    expect(types.slice(-3)).toEqual(['tool_result', 'error', 'run_end'])
    expect(state.messages[1]?.content).toEqual([text('a'), call('t1', 'w')])
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('a model that throws is treated as any failure, and reported to the log', async () => {
    const errors: unknown[] = []
    const error = new Error('secret path')
    const { agent } = setUpAgent([{ throws: error }], { onError: (heard) => errors.push(heard) })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(events.at(-2)).toMatchObject({ type: 'error', kind: 'model_error' })
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(errors).toEqual([error])
  })

  test('an internal error still ends with run_end and a valid state', async () => {
    const { agent } = setUpAgent([{ outcome: 'interrupted' }], {
      wait: () => Promise.reject(new Error('broken')),
    })
    const { types, state } = await collect(agent, { prompt: 'go' })
    expect(types.slice(-2)).toEqual(['error', 'run_end'])
    expect(chainFaults(state.messages)).toEqual([])
  })
})

describe('stopping', () => {
  test.each([['until_aborted'], ['deaf']] as const)('a hanging model: %s', async (hangs) => {
    const controller = new AbortController()
    const replies = [{ content: [text('whole'), call('t1', 'w')], openBlock: text('half'), hangs }]
    const { agent } = setUpAgent(replies, { tools: [tool('w')], abortGraceMs: 5 })
    const { end, state, events } = await collect(
      agent,
      { prompt: 'go' },
      (item) => item.type === 'block_delta' && item.block === 2 && controller.abort(),
      controller.signal,
    )
    expect(end).toMatchObject({ type: 'run_end', stopReason: 'aborted' })
    expect(events.some(({ type }) => type === 'error')).toBe(false)
    expect(state.messages[1]?.content).toEqual([text('whole'), call('t1', 'w')])
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('running tools are stopped, completed ones keep their result', async () => {
    const controller = new AbortController()
    const hang = tool('hang', () => new Promise(() => {}))
    const { agent, model } = setUpAgent(
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

  test('before the start and during a retry delay', async () => {
    const aborted = await collect(
      setUpAgent([]).agent,
      { prompt: 'go' },
      undefined,
      AbortSignal.abort(),
    )
    expect(aborted.types).toEqual(['run_start', 'run_end'])
    const controller = new AbortController()
    const { agent } = setUpAgent([{ content: [text('a')], outcome: 'interrupted' }], {
      wait: async () => controller.abort(),
    })
    const { end, state } = await collect(agent, { prompt: 'go' }, undefined, controller.signal)
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(state.messages).toHaveLength(1)
  })

  test('a reader that leaves stops the running work', async () => {
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
    const { agent } = setUpAgent([{ content: [call('t1', 'hang'), call('t2', 'quick')] }], {
      tools: [hang, tool('quick')],
    })
    for await (const item of agent.run({ prompt: 'go' })) if (item.type === 'tool_result') break
    await new Promise((resolve) => setTimeout(resolve))
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
