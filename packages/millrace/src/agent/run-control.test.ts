import { describe, expect, test } from 'vitest'
import {
  call,
  collect,
  collectRun,
  confirm,
  createGate,
  resultsOf,
  setUpAgent,
  text,
  tool,
} from '../../test/support/agents/agent-harness.ts'
import { eventsByAgent, setUpChild, setUpParent, spawn } from '../../test/support/agents/family.ts'
import { chainFaults } from '../../test/support/models/message-chain.ts'
import type { AgentState } from './state/agent-state.ts'
import { createRunControl } from './run-control.ts'
import { defineTool } from '../tools/define-tool.ts'
import { pendingOf } from './state/pending-calls.ts'

const yes = { toolUseId: 'c1', content: 'yes' }

/** A parent whose one sub-agent asks the browser while its other call runs until it is released. */
function setUpWaiting(childCalls = [call('c1', 'confirm')]) {
  const gate = createGate()
  const slow = tool('slow', () => gate.passed.then(() => 'slow ran'))
  const guarded = defineTool({
    name: 'guarded',
    description: '',
    input: { type: 'object' },
    needsApproval: true,
    run: () => 'guarded ran',
  })
  const { agent: child, model: childModel } = setUpChild([{ content: childCalls }], {
    tools: [confirm, guarded],
  })
  const { agent, model } = setUpParent(
    [{ content: [spawn('t1'), call('t2', 'slow')] }, { content: [text('all done')] }],
    [child],
    { tools: [slow] },
  )
  return { agent, model, childModel, gate }
}

describe('a sub-agent with a pending call', () => {
  test('does not delay its siblings; the run pauses when no agent is active', async () => {
    const { agent, gate } = setUpWaiting()
    const { events, state, end } = await collect(agent, { agent: 'root', prompt: 'go' }, (item) => {
      if (item.type === 'run_end' && item.agent !== 'root') gate.open()
    })
    expect(events.slice(-5).map(({ agent: whose, type }) => `${whose} ${type}`)).toEqual([
      'root.1 awaiting_frontend_tools',
      'root.1 run_end',
      'root tool_status',
      'root tool_result',
      'root run_end',
    ])
    expect(end).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
    expect(pendingOf(state).calls).toMatchObject([{ agent: 'root.1', id: 'c1', name: 'confirm' }])
  })

  test('resumes in another process with the answer, and its parent with its result', async () => {
    const { agent, gate, model } = setUpWaiting()
    gate.open()
    const paused = await collect(agent, { agent: 'root', prompt: 'go' })
    const state = JSON.parse(JSON.stringify(paused.state)) as AgentState
    const { events, end } = await collect(agent, { state, results: [yes] })
    expect(
      eventsByAgent(events)
        .get('root.1')
        ?.filter((type) => type !== 'tool_status'),
    ).toEqual([
      'tool_result',
      'block_start',
      'block_delta',
      'block_delta',
      'block_end',
      'step_end',
      'run_end',
    ])
    expect(events.some(({ type }) => type === 'run_start')).toBe(false)
    expect(end).toMatchObject({ stopReason: 'end_turn', usage: { input_tokens: 40 } })
    expect(chainFaults(model.requests[1]?.messages ?? [])).toEqual([])
  })

  test('can be answered while its sibling is active', async () => {
    const { agent, gate, childModel } = setUpWaiting()
    const run = agent.run({ agent: 'root', prompt: 'go' })
    const { events, end } = await collectRun(run, (item) => {
      if (item.type === 'tool_result' && item.callId === 't1') gate.open()
      // It has not paused yet; the answer is kept until then.
      if (item.type === 'awaiting_frontend_tools') expect(run.answer({ results: [yes] })).toBe(true)
    })
    expect(childModel.requests).toHaveLength(2)
    const order = resultsOf(events).map(({ callId }) => callId)
    expect(order).toEqual(['c1', 't1', 't2'])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('keeps the first answer, also before it is used', async () => {
    const { agent, gate } = setUpWaiting()
    const run = agent.run({ prompt: 'go' })
    const received: unknown[] = []
    await collectRun(run, (item) => {
      if (item.type !== 'awaiting_frontend_tools') return
      const answer = (answers: Parameters<typeof run.answer>[0]) => {
        try {
          received.push(run.answer(answers))
        } catch (error) {
          received.push((error as { code: string }).code)
        }
      }
      answer({ results: [{ toolUseId: 'nope', content: 'x' }] })
      answer({ results: [yes] })
      answer({ results: [yes] })
      answer({ results: [{ ...yes, content: 'no' }] })
      answer({ decisions: [{ toolUseId: 'c1', outcome: 'approved' }] })
      gate.open()
    })
    expect(received).toEqual(['not_found', true, false, 'conflict', 'not_found'])
  })

  test('keeps partial answers, also across the pause of the run', async () => {
    const { agent, gate, childModel } = setUpWaiting([call('c1', 'confirm'), call('c2', 'guarded')])
    const run = agent.run({ prompt: 'go' })
    const { state, end } = await collectRun(run, (item) => {
      if (item.type !== 'awaiting_frontend_tools') return
      run.answer({ results: [yes] })
      gate.open()
    })
    expect(end).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
    expect(pendingOf(state)).toMatchObject({ calls: [], approvals: [{ id: 'c2' }] })
    await collect(agent, { state, decisions: [{ toolUseId: 'c2', outcome: 'approved' }] })
    expect(childModel.requests[1]?.messages.at(-1)?.content).toMatchObject([
      { content: 'yes' },
      { content: 'guarded ran' },
    ])
  })

  test('at depth two gets its answer at any moment', async () => {
    for (const moment of ['awaiting_frontend_tools', 'run_end'] as const) {
      const gate = createGate()
      const { agent: digger } = setUpChild([{ content: [call('c1', 'confirm')] }], {
        name: 'digger',
        tools: [confirm],
      })
      const { agent: child } = setUpChild([{ content: [spawn('s1', { agent_name: 'digger' })] }], {
        subagents: [digger],
      })
      const { agent } = setUpParent([{ content: [spawn('t1'), call('t2', 'slow')] }], [child], {
        tools: [tool('slow', () => gate.passed)],
      })
      const run = agent.run({ agent: 'root', prompt: 'go' })
      let isAnswered = false
      const { events, end } = await collectRun(run, (item) => {
        if (item.type === moment && !isAnswered) isAnswered = run.answer({ results: [yes] })
        if (item.type === 'tool_result' && item.callId === 't1') gate.open()
      })
      expect(resultsOf(events).map(({ callId }) => callId)).toEqual(['c1', 's1', 't1', 't2'])
      expect(end).toMatchObject({ stopReason: 'end_turn' })
    }
  })

  test('keeps an answer that comes before the recovered run has reached it, though the run is stopped', async () => {
    const { agent: child } = setUpChild([{ content: [call('c1', 'confirm')] }], {
      tools: [confirm],
    })
    const slow = { ...tool('slow', () => new Promise(() => {})), idempotent: true }
    const setUp = (maxParallelTools: number) =>
      setUpParent([{ content: [call('t1', 'slow'), spawn('t2')] }], [child], {
        tools: [slow],
        maxParallelTools,
      }).agent
    const first = setUp(2).run({ agent: 'root', prompt: 'go' })
    const { states } = await collectRun(first, (item) => {
      if (item.type === 'run_end' && item.agent === 'root.1') first.stop()
    })
    const state = states.find(({ children = {} }) => children['root.1']?.ended !== undefined)
    const run = setUp(1).run({ ...(state && { state }) })
    const { events } = await collectRun(run, (item) => {
      if (item.type !== 'tool_status' || item.stage !== 'started') return
      expect(run.answer({ results: [yes] })).toBe(true)
      run.stop()
    })
    expect(resultsOf(events)[0]).toMatchObject({ callId: 'c1', text: 'yes', isError: false })
  })

  test('ends when the run abandons it: by a stop, a new prompt, or a message', async () => {
    const { agent, gate, childModel } = setUpWaiting()
    gate.open()
    const paused = await collect(agent, { agent: 'root', prompt: 'go' })
    for (const input of [{ stop: true }, { prompt: 'never mind' }] as const) {
      const { events, state } = await collect(agent, { state: paused.state, ...input })
      expect(eventsByAgent(events).get('root.1')).toEqual(['tool_result', 'run_end'])
      expect(resultsOf(events).map(({ callId, isError }) => [callId, isError])).toEqual([
        ['c1', true],
        ['t1', true],
      ])
      expect(chainFaults(state.messages)).toEqual([])
      expect(chainFaults(state.children?.['root.1']?.messages ?? [])).toEqual([])
      expect(pendingOf(state).calls).toEqual([])
    }
    expect(childModel.requests).toHaveLength(1)
    const { agent: steered, gate: other } = setUpWaiting()
    const run = steered.run({ agent: 'root', prompt: 'go' })
    const { events, end } = await collectRun(run, (item) => {
      if (item.type !== 'awaiting_frontend_tools') return
      run.steer('never mind')
      other.open()
    })
    expect(eventsByAgent(events).get('root.1')?.slice(-2)).toEqual(['tool_result', 'run_end'])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })
})

describe('stopping one sub-agent', () => {
  test('that is active ends only that one, with its completed work', async () => {
    const { agent: child } = setUpChild([
      { content: [text('half')], openBlock: text('more'), hangs: 'until_aborted' },
    ])
    const { agent, model } = setUpParent([{ content: [spawn('t1')] }], [child])
    const run = agent.run({ agent: 'root', prompt: 'go' })
    const { events, end } = await collectRun(run, (item) => {
      if (item.type === 'block_start' && item.block === 1) expect(run.stop('root.1')).toBe(true)
    })
    expect(
      events.find((event) => event.type === 'run_end' && event.agent === 'root.1'),
    ).toMatchObject({
      stopReason: 'aborted',
    })
    expect(resultsOf(events)).toMatchObject([
      { callId: 't1', isError: true, text: expect.stringContaining('half') },
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn', usage: { input_tokens: 30 } })
    expect(model.requests).toHaveLength(2)
  })

  test('with a pending call ends it while its siblings continue', async () => {
    const { agent, gate } = setUpWaiting()
    const run = agent.run({ agent: 'root', prompt: 'go' })
    const seen: boolean[] = []
    const { events, end } = await collectRun(run, (item) => {
      if (item.type === 'run_end' && item.agent === 'root.1' && item.stopReason !== 'aborted') {
        // Its generator is still ending; a moment later it has paused.
        setTimeout(() => seen.push(run.stop('root.1'), run.stop('root.1'), run.stop('nobody')))
      }
      if (item.type === 'tool_result' && item.callId === 't1') gate.open()
    })
    expect(seen).toEqual([true, false, false])
    expect(eventsByAgent(events).get('root.1')?.slice(-2)).toEqual(['tool_result', 'run_end'])
    expect(resultsOf(events).map(({ callId }) => callId)).toEqual(['c1', 't1', 't2'])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('with a pending call in a paused run does not keep the others from resuming', async () => {
    const { agent, gate } = setUpWaiting()
    gate.open()
    const { state } = await collect(agent, { agent: 'root', prompt: 'go' })
    const { events, end } = await collect(agent, { state, stop: 'root.1' })
    expect(eventsByAgent(events).get('root.1')).toEqual(['tool_result', 'run_end'])
    expect(end).toMatchObject({ agent: 'root', stopReason: 'end_turn' })
    expect(() => agent.run({ state, stop: 'nobody' })).toThrow(/No agent nobody waits/)
  })
})

describe('a control', () => {
  test('stops everything, sub-agents included', async () => {
    const { agent: child } = setUpChild([{ openBlock: text('on and on'), hangs: 'until_aborted' }])
    const { agent } = setUpParent([{ content: [spawn('t1'), spawn('t2')] }], [child])
    const run = agent.run({ agent: 'root', prompt: 'go' })
    let left = 2
    const { events, end, state } = await collectRun(run, (item) => {
      if (item.type === 'block_delta' && item.agent !== 'root' && left-- === 1) run.stop()
    })
    const ends = events.filter((event) => event.type === 'run_end')
    expect(ends.map(({ stopReason }) => stopReason)).toEqual(['aborted', 'aborted', 'aborted'])
    expect(end).toMatchObject({ agent: 'root', usage: { input_tokens: 30 } })
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('keeps a stop and a message that arrive before its first agent', async () => {
    const { agent, model } = setUpAgent([])
    const stopped = createRunControl()
    expect(stopped.stop()).toBe(true)
    expect(stopped.isEnding()).toBe(false)
    const run = agent.run({ prompt: 'go' }, { control: stopped })
    expect((await collectRun(run)).end).toMatchObject({ stopReason: 'aborted' })
    expect(model.requests).toHaveLength(0)
    expect(stopped.isEnding()).toBe(true)
    expect(stopped.stop()).toBe(false)
    const steered = createRunControl()
    expect(() => steered.steer(' ')).toThrow(/empty/)
    expect(steered.steer('and quickly')).toBe(true)
    await collectRun(agent.run({ prompt: 'go' }, { control: steered }))
    expect(model.requests[0]?.messages).toEqual([
      { role: 'user', content: [text('go'), text('and quickly')] },
    ])
  })

  test('has no effect for unknown agents', async () => {
    const { agent } = setUpAgent([])
    const run = agent.run({ prompt: 'go' })
    const received: unknown[] = []
    await collectRun(run, ({ type }) => {
      if (type !== 'block_start') return
      received.push(run.stop('nobody'), run.steer('hello', 'nobody'))
      expect(() => run.answer({ results: [yes] })).toThrow(
        expect.objectContaining({ code: 'not_found' }),
      )
    })
    expect(received).toEqual([false, false])
    expect(run.stop()).toBe(false)
    expect(run.steer('too late')).toBe(false)
    expect(() => run.answer({ results: [yes] })).toThrow(/No call waits/)
  })
})
