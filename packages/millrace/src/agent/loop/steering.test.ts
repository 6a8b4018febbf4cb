import { describe, expect, test } from 'vitest'
import {
  call,
  collectRun,
  confirm,
  createGate,
  resultsOf,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, setUpParent, spawn } from '../../../test/support/agents/family.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'

describe('a message to an active run', () => {
  test('interrupts the model and is part of the next request; emitted text is kept', async () => {
    const { agent, model } = setUpAgent([
      { content: [text('The capital')], openBlock: text('of'), hangs: 'until_aborted' },
      { content: [text('Oslo')] },
    ])
    const run = agent.run({ prompt: 'France?' })
    const { types, end } = await collectRun(run, (item) => {
      if (item.type === 'block_start' && item.block === 1)
        expect(run.steer('I meant Norway')).toBe(true)
    })
    expect(types.filter((type) => !type.startsWith('block_'))).toEqual([
      'run_start',
      'step_end',
      'user_message',
      'step_end',
      'run_end',
    ])
    expect(model.requests[1]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [text('The capital')] },
      { role: 'user', content: [text('I meant Norway')] },
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn', usage: { input_tokens: 20 } })
  })

  test('before the first byte leaves no step behind', async () => {
    const { agent, model } = setUpAgent([{ hangs: 'until_aborted' }])
    const run = agent.run({ prompt: 'France?' })
    setTimeout(() => run.steer('Norway'))
    const { types, end } = await collectRun(run)
    expect(types.filter((type) => type === 'step_end')).toHaveLength(1)
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', content: [text('France?'), text('Norway')] },
    ])
    expect(end).toMatchObject({ steps: 1 })
  })

  test('complete calls of the interrupted model are not run', async () => {
    let isRun = false
    const { agent, model } = setUpAgent(
      [{ content: [call('t1', 'w')], openBlock: text('and'), hangs: 'until_aborted' }],
      { tools: [tool('w', () => (isRun = true))] },
    )
    const run = agent.run({ prompt: 'go' })
    const { events } = await collectRun(run, (item) => {
      if (item.type === 'block_start' && item.block === 1) run.steer('wait')
    })
    expect(isRun).toBe(false)
    expect(resultsOf(events)).toMatchObject([{ callId: 't1', isError: true }])
    expect(chainFaults(model.requests[1]?.messages ?? [])).toEqual([])
  })

  test('during tools waits for them, and follows their results', async () => {
    const gate = createGate()
    const { agent, model } = setUpAgent(
      [{ content: [call('t1', 'slow'), call('t2', 'confirm')] }],
      {
        tools: [tool('slow', () => gate.passed.then(() => 'ran')), confirm],
      },
    )
    const run = agent.run({ prompt: 'go' })
    const { events, end } = await collectRun(run, (item) => {
      if (item.type !== 'tool_status' || item.stage !== 'started') return
      run.steer('one')
      run.steer('two')
      gate.open()
    })
    expect(resultsOf(events).map(({ callId, isError }) => [callId, isError])).toEqual([
      ['t1', false],
      ['t2', true],
    ])
    expect(model.requests[1]?.messages.at(-1)?.content.slice(-2)).toEqual([
      text('one'),
      text('two'),
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('during a retry delay is part of the retry', async () => {
    const { agent, model } = setUpAgent([{ outcome: 'interrupted' }], {
      wait: async () => void run.steer('and be quick'),
    })
    const run = agent.run({ prompt: 'go' })
    const { types } = await collectRun(run)
    expect(types.filter((type) => type === 'user_message')).toHaveLength(1)
    expect(model.requests).toHaveLength(2)
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([text('go'), text('and be quick')])
  })

  test('when the model fails at the same time is still delivered', async () => {
    const failure = { type: 'x', message: 'no', retriable: false }
    const { agent, model } = setUpAgent([
      { content: [text('a')], outcome: 'failed', failure },
      { content: [text('b')] },
    ])
    const run = agent.run({ prompt: 'go' })
    const { end } = await collectRun(run, ({ type }) => {
      if (type === 'block_end' && model.requests.length === 1) run.steer('hello')
    })
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([text('hello')])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('during an answer check makes the model continue with it', async () => {
    let checks = 0
    const { agent, model } = setUpAgent([], {
      finalAnswerCheck: async () => {
        if (++checks === 1) run.steer('one more thing')
        return true as const
      },
    })
    const run = agent.run({ prompt: 'go' })
    await collectRun(run)
    expect(model.requests).toHaveLength(2)
  })

  test('is rejected at the end, in a pause, and when no step is left', async () => {
    const seen: boolean[] = []
    const { agent } = setUpAgent([{ content: [text('bye')] }])
    const run = agent.run({ prompt: 'go' })
    await collectRun(run, ({ type }) => type === 'run_end' && seen.push(run.steer('x')))
    const { agent: asking } = setUpAgent([{ content: [call('t1', 'confirm')] }], {
      tools: [confirm],
    })
    const paused = asking.run({ prompt: 'go' })
    await collectRun(
      paused,
      ({ type }) => type === 'awaiting_frontend_tools' && seen.push(paused.steer('x')),
    )
    const { agent: tired } = setUpAgent([{ content: [call('t1', 'w')] }], {
      tools: [tool('w')],
      maxSteps: 1,
    })
    const last = tired.run({ prompt: 'go' })
    await collectRun(last, (item) => {
      if (item.type === 'block_start' && item.kind === 'text') seen.push(last.steer('x'))
    })
    expect(seen).toEqual([false, false, false])
  })

  test('to one sub-agent affects only that sub-agent', async () => {
    const { agent: child, model: childModel } = setUpChild([
      { openBlock: text('left'), hangs: 'until_aborted' },
      { content: [text('right')] },
    ])
    const { agent, model } = setUpParent([{ content: [spawn('t1')] }], [child])
    const run = agent.run({ agent: 'root', prompt: 'go' })
    const { events } = await collectRun(run, (item) => {
      if (
        item.type === 'block_start' &&
        item.agent === 'root.1' &&
        item.block === 0 &&
        childModel.requests.length === 1
      )
        expect(run.steer('turn right', 'root.1')).toBe(true)
    })
    expect(events.filter(({ type }) => type === 'user_message')).toMatchObject([
      { agent: 'root.1', prompt: 'turn right' },
    ])
    expect(childModel.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { text: 'dig' },
      text('turn right'),
    ])
    expect(JSON.stringify(model.requests)).not.toContain('turn right')
    expect(resultsOf(events)[0]?.text).toContain('right')
  })
})
