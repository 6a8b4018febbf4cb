import { describe, expect, test } from 'vitest'
import {
  call,
  collectRun,
  confirm,
  setUpAgent,
  text,
  tool,
} from '../../test/support/agents/agent-harness.ts'
import { chainFaults } from '../../test/support/models/message-chain.ts'

const prices = { 'scripted-1': { input: 1_000_000, output: 0 } }

describe('the result of a run', () => {
  test('is available without reading the stream, any number of times', async () => {
    const { agent, model } = setUpAgent(
      [{ content: [text('let me'), call('t1', 'w')] }, { content: [text('four'), text('!')] }],
      { tools: [tool('w')], prices },
    )
    const run = agent.run({ agent: 'a1', prompt: '2+2?' })
    const result = await run.result()
    expect(result).toMatchObject({
      finalAnswer: 'four!',
      stopReason: 'end_turn',
      steps: 2,
      usage: { input_tokens: 20, output_tokens: 10 },
      cost: { total: 20 },
      files: [],
      state: { agent: 'a1', ended: 'end_turn' },
    })
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(await run.result()).toEqual(result)
    expect(model.requests).toHaveLength(2)
  })

  test('is an error after the start of the run if a function for instructions or tools throws', async () => {
    const fail = () => Promise.reject(new Error('away'))
    for (const options of [{ system: fail }, { tools: fail }]) {
      const { agent } = setUpAgent([], options)
      const run = agent.run({ prompt: 'hi' })
      const types: string[] = []
      for await (const { type } of run) types.push(type)
      expect(types[0]).toBe('checkpoint')
      expect(types).toContain('run_start')
      expect(types.at(-1)).toBe('run_end')
      expect(await run.result()).toMatchObject({
        stopReason: 'error',
        messages: [{ role: 'user' }],
      })
    }
  })

  test('is available while the stream is read', async () => {
    const { agent } = setUpAgent([])
    const run = agent.run({ prompt: 'hi' })
    const result = run.result().then(({ finalAnswer }) => finalAnswer)
    const { end } = await collectRun(agent.run({ prompt: 'hi' }))
    expect(end?.type).toBe('run_end')
    expect(await result).toBe('done')
    const read = agent.run({ prompt: 'hi' })
    const { state } = await collectRun(read)
    expect((await read.result()).state).toBe(state)
  })

  test('reports a pause, from which the run resumes', async () => {
    const { agent } = setUpAgent(
      [{ content: [call('t1', 'confirm')] }, { content: [text('ok')] }],
      {
        tools: [confirm],
      },
    )
    const paused = await agent.run({ prompt: 'go' }).result()
    expect(paused).toMatchObject({ stopReason: 'awaiting_frontend_tools', finalAnswer: '' })
    const answers = { results: [{ toolUseId: 't1', content: 'yes' }] }
    const resumed = await agent.resume(paused.state, answers).result()
    expect(resumed).toMatchObject({ stopReason: 'end_turn', finalAnswer: 'ok', steps: 2 })
    expect(resumed.messages).toHaveLength(4)
    expect(() => agent.resume(paused.state)).toThrow(/Some calls have no answer/)
  })

  test('is that of a stopped run when its reader leaves; completed work is kept', async () => {
    const { agent } = setUpAgent([{ content: [call('t1', 'w')] }, { content: [text('never')] }], {
      tools: [tool('w')],
    })
    const run = agent.run({ prompt: 'go' })
    for await (const item of run) if (item.type === 'tool_result') break
    const { stopReason, state, steps } = await run.result()
    expect({ stopReason, steps }).toEqual({ stopReason: 'aborted', steps: 1 })
    expect(state.turn?.results).toHaveLength(1)
    const resumed = await agent.resume(state).result()
    expect(resumed).toMatchObject({ stopReason: 'end_turn', finalAnswer: 'never' })
    expect(chainFaults(resumed.messages)).toEqual([])
  })

  test('keeps usage and cost of stopped and failed runs', async () => {
    const failure = { type: 'x', message: 'no', retriable: false }
    const { agent } = setUpAgent(
      [
        { outcome: 'interrupted' },
        { content: [call('t1', 'w')] },
        { content: [text('a')], outcome: 'failed', failure },
      ],
      { tools: [tool('w')], prices },
    )
    expect(await agent.run({ prompt: 'go' }).result()).toMatchObject({
      stopReason: 'error',
      usage: { input_tokens: 30, output_tokens: 15 },
      cost: { total: 30 },
    })
    const { agent: slow } = setUpAgent([{ openBlock: text('on'), hangs: 'until_aborted' }], {
      prices,
    })
    const run = slow.run({ prompt: 'go' })
    const { end } = await collectRun(run, ({ type }) => type === 'block_start' && run.stop())
    expect(end).toMatchObject({
      stopReason: 'aborted',
      usage: { input_tokens: 10 },
      cost: { total: 10 },
    })
  })
})

describe('stopping', () => {
  test.each([
    ['before the first byte', { hangs: 'until_aborted' }, 'run_start', 1],
    ['in a block', { openBlock: text('half'), hangs: 'until_aborted' }, 'block_start', 1],
    [
      'after whole blocks',
      { content: [text('whole')], openBlock: text('x'), hangs: 'until_aborted' },
      'block_end',
      2,
    ],
  ] as const)('%s keeps complete blocks', async (_name, reply, moment, messages) => {
    const { agent } = setUpAgent([reply])
    const run = agent.run({ prompt: 'go' })
    const { end, state, types } = await collectRun(run, ({ type }) => {
      if (type === moment) setTimeout(() => run.stop())
    })
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(types).not.toContain('error')
    expect(state.messages).toHaveLength(messages)
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('in a pause ends the run: pending calls get reported answers, and the next prompt finds a valid conversation', async () => {
    const { agent, model } = setUpAgent([{ content: [call('t1', 'confirm'), call('t2', 'w')] }], {
      tools: [confirm, tool('w')],
    })
    const { state } = await agent.run({ prompt: 'go' }).result()
    const stopped = await collectRun(agent.run({ state, stop: true }))
    expect(stopped.types).toEqual(['tool_result', 'run_end'])
    expect(stopped.end).toMatchObject({ stopReason: 'aborted' })
    await agent.run({ state: stopped.state, prompt: 'next' }).result()
    expect(model.requests).toHaveLength(2)
    expect(chainFaults(model.requests[1]?.messages ?? [])).toEqual([])
  })
})

test('later requests name the container that the provider has used', async () => {
  const { agent, model } = setUpAgent([], {})
  const inContainer: typeof model = {
    ...model,
    async *stream(request, options) {
      for await (const event of model.stream(request, options)) {
        if (event.type !== 'message_end') yield event
        else yield { ...event, details: { container: { id: 'box', expires_at: 'later' } } }
      }
    },
  }
  const { agent: boxed } = setUpAgent([], { model: inContainer })
  const { state } = await boxed.run({ prompt: 'one' }).result()
  await boxed.run({ state, prompt: 'two' }).result()
  expect(model.requests.map(({ container }) => container)).toEqual([undefined, 'box'])
  expect(agent.model).toBe('scripted-1')
})

test('the result of a run whose reader left before the first event is still available', async () => {
  const { agent, model } = setUpAgent([])
  const left = agent.run({ prompt: 'go' })
  await left[Symbol.asyncIterator]().return?.()
  await expect(left.result()).resolves.toMatchObject({ stopReason: 'aborted', steps: 0 })
  expect(model.requests).toEqual([])
  const unread = agent.run({ prompt: 'go' })
  unread[Symbol.asyncIterator]()
  await expect(unread.result()).resolves.toMatchObject({ stopReason: 'end_turn', steps: 1 })
})
