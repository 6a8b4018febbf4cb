import { describe, expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  collectRun,
  createGate,
  resultsOf,
  setUpAgent,
  stagesOf,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import {
  eventsByAgent,
  setUpChild,
  setUpParent,
  spawn,
} from '../../../test/support/agents/family.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import type { AgentState } from '../state/agent-state.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { Subagent } from '../agent.ts'
import { totalsOf } from '../state/run-totals.ts'

describe('sub-agents', () => {
  test('run concurrently, each with its own id, linked to its parent and its call', async () => {
    const met = createGate()
    let running = 0
    const meet = tool('meet', async () => {
      if (++running === 2) met.open()
      await met.passed
    })
    const { agent: child, model: childModel } = setUpChild(
      [{ content: [call('c1', 'meet')] }, { content: [call('c2', 'meet')] }],
      { tools: [meet] },
    )
    const { agent, model } = setUpParent(
      [{ content: [spawn('t1', { task: 'one' }), spawn('t2', { task: 'two' })] }],
      [child],
    )
    const { events, end } = await collect(agent, { agent: 'root', prompt: 'go' })
    const starts = events.filter((event) => event.type === 'run_start')
    expect(starts).toMatchObject([
      { agent: 'root' },
      { prompt: 'one', parentAgent: 'root', parentToolUseId: 't1', name: 'child' },
      { prompt: 'two', parentAgent: 'root', parentToolUseId: 't2', name: 'child' },
    ])
    expect(new Set(starts.map((start) => start.agent)).size).toBe(3)
    for (const types of [...eventsByAgent(events).values()].slice(1)) {
      expect(types.at(0)).toBe('run_start')
      expect(types.at(-1)).toBe('run_end')
    }
    expect(childModel.requests[0]?.messages).toHaveLength(1)
    const received = model.requests[1]?.messages.at(-1)?.content ?? []
    expect(received.map((block) => block['tool_use_id'])).toEqual(['t1', 't2'])
    expect(received[0]?.['content']).toBe(
      'Answer of the agent "child":\nAgent UUID: root.1\ndone\n[stop_reason=end_turn, steps=2]',
    )
    expect(stagesOf(events, 't1')).toEqual(['started', 'succeeded'])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('are offered by name, model and description', async () => {
    const { agent: child } = setUpChild([])
    const { agent, model } = setUpParent([], [child])
    await collect(agent, { prompt: 'go' })
    const [offered] = model.requests[0]?.tools ?? []
    expect(offered).toMatchObject({
      name: 'spawn_subagent',
      description: expect.stringContaining('- child (scripted-1): a child'),
      inputSchema: { properties: { agent_name: { enum: ['child'] } } },
    })
  })

  test('have sub-agents of their own', async () => {
    const { agent: digger } = setUpChild([{ content: [text('gold')] }], { name: 'digger' })
    const { agent: child } = setUpChild(
      [
        { content: [spawn('c1', { agent_name: 'digger' })] },
        { content: [text('the digger has gold')] },
      ],
      { subagents: [digger] },
    )
    const { agent } = setUpParent([{ content: [spawn('t1')] }], [child])
    const { events, state, end } = await collect(agent, { prompt: 'go' })
    expect([...eventsByAgent(events).values()].map((types) => types.at(-1))).toEqual([
      'run_end',
      'run_end',
      'run_end',
    ])
    expect(resultsOf(events).map(({ text: answer }) => answer)).toMatchObject([
      expect.stringContaining('gold'),
      expect.stringContaining('the digger has gold'),
    ])
    const [, second] = Object.values(state.children ?? {}).flatMap((one) => [
      one,
      ...Object.values(one.children ?? {}),
    ])
    expect(second?.parent).toMatchObject({ depth: 2, toolUseId: 'c1' })
    // Two calls of the parent, two of the child, one of the digger.
    expect(end).toMatchObject({ usage: { input_tokens: 50, output_tokens: 25 } })
  })

  test('are resumed by their uuid, in the same run and in a later one', async () => {
    const { agent: child, model: childModel } = setUpChild([
      { content: [text('first')] },
      { content: [text('second')] },
      { content: [text('third')] },
    ])
    const again = (id: string) => ({
      content: [spawn(id, { task: id, resume_agent_uuid: 'id1.1' })],
    })
    const { agent } = setUpParent(
      [{ content: [spawn('t1')] }, again('t2'), { content: [text('ok')] }, again('t3')],
      [child],
    )
    const first = await collect(agent, { prompt: 'go' })
    const types = eventsByAgent(first.events).get('id1.1')
    expect(types?.filter((type) => type === 'run_start')).toHaveLength(2)
    expect(childModel.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
    // Three calls of the parent, and two of the child, which got two tasks.
    expect(first.end).toMatchObject({ usage: { input_tokens: 50 } })
    expect(totalsOf(first.state).usage.input_tokens).toBe(50)
    const second = await collect(agent, { state: first.state, prompt: 'more' })
    expect(childModel.requests[2]?.messages).toHaveLength(5)
    expect(second.end).toMatchObject({ usage: { input_tokens: 30 } })
  })

  test('reject a second concurrent task', async () => {
    const { agent: child, model: childModel } = setUpChild([])
    const resume = (id: string) => spawn(id, { resume_agent_uuid: 'id1.1' })
    const { agent } = setUpParent(
      [{ content: [spawn('t1')] }, { content: [resume('t2'), resume('t3')] }],
      [child],
    )
    const { events } = await collect(agent, { prompt: 'go' })
    expect(resultsOf(events).map(({ callId, isError }) => [callId, isError])).toEqual([
      ['t1', false],
      ['t3', true],
      ['t2', false],
    ])
    expect(resultsOf(events)[1]?.text).toContain('at work already')
    expect(childModel.requests).toHaveLength(2)
  })

  test.each([
    [{ agent_name: 'nobody' }, /`agent_name` must be one of: child/],
    [{ agent_name: 'constructor' }, /`agent_name` must be one of/],
    [{ task: ' ' }, /`task` must state/],
    [{ task: 7 }, /`task` must state/],
    [{ resume_agent_uuid: 'stranger' }, /No agent "child" with the uuid stranger/],
    [{ resume_agent_uuid: '__proto__' }, /No agent "child"/],
  ])('%j gets an error with the reason, and needs no approval', async (input, problem) => {
    const { agent: child } = setUpChild([])
    const { agent } = setUpParent([{ content: [spawn('t1', input)] }], [child], {
      subagentsNeedApproval: true,
    })
    const { events, end } = await collect(agent, { prompt: 'go' })
    expect(resultsOf(events)).toMatchObject([
      { isError: true, text: expect.stringMatching(problem) },
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('may need approval, with edited task', async () => {
    const { agent: child, model: childModel } = setUpChild([])
    const { agent } = setUpParent([{ content: [spawn('t1')] }], [child], {
      subagentsNeedApproval: true,
    })
    const { state, end } = await collect(agent, { prompt: 'go' })
    expect(end).toMatchObject({ stopReason: 'awaiting_approval' })
    const input = { agent_name: 'child', task: 'dig carefully' }
    const decisions = [{ toolUseId: 't1', outcome: 'approved', input } as const]
    const { events } = await collect(agent, { state, decisions })
    expect(childModel.requests[0]?.messages[0]?.content).toEqual([text('dig carefully')])
    expect(resultsOf(events)[0]?.text).toMatch(/changed the arguments[^]*Answer of the agent/)
  })

  test('that fail fail their call, not their parent nor their siblings', async () => {
    const failure = { type: 'permission_error', message: 'No', retriable: false }
    const { agent: child } = setUpChild([{ outcome: 'failed', failure }])
    const { agent: other } = setUpChild([], { name: 'other' })
    const { agent } = setUpParent(
      [{ content: [spawn('t1'), spawn('t2', { agent_name: 'other' })] }],
      [child, other],
    )
    const { events, end } = await collect(agent, { prompt: 'go' })
    const byId = Object.fromEntries(resultsOf(events).map((result) => [result.callId, result]))
    expect(byId['t1']).toMatchObject({ isError: true, text: expect.stringContaining('error') })
    expect(byId['t2']).toMatchObject({ isError: false })
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('that throw or stop emitting are ended by their parent', async () => {
    const state = (agent = ''): AgentState => ({
      agent,
      name: 'child',
      messages: [{ role: 'assistant', content: [call('c1', 'x')] }],
      runId: 'r',
      runStart: 0,
      steps: 1,
      usage: { input_tokens: 1, output_tokens: 1 },
      cost: null,
      turn: { calls: [{ id: 'c1', name: 'x', inputText: '{}' }], results: [] },
    })
    const start = { type: 'run_start', runId: 'r', prompt: '', model: 'm', messages: [] } as const
    const broken: Subagent['run'][] = [
      () => {
        throw new Error('at once')
      },
      async function* () {},
      async function* ({ agent = '' }) {
        yield { type: 'checkpoint', state: state(agent) }
        yield { ...start, agent }
        throw new Error('later')
      },
      async function* ({ agent = '' }) {
        yield { type: 'checkpoint', state: state(agent) }
        yield { ...start, agent }
      },
    ]
    for (const run of broken) {
      const child = { name: 'child', description: 'odd', run }
      const { agent } = setUpAgent([{ content: [spawn('t1')] }], { subagents: [child] })
      const { events, end } = await collect(agent, { prompt: 'go' })
      expect(resultsOf(events).at(-1)).toMatchObject({ callId: 't1', isError: true })
      expect(end).toMatchObject({ stopReason: 'end_turn' })
      const ofChild = eventsByAgent(events).get('id1.1') ?? ['run_start', 'tool_result', 'run_end']
      expect(ofChild).toEqual(['run_start', 'tool_result', 'run_end'])
    }
  })

  test('add their cost and usage to the run; an unknown price makes the sum unknown', async () => {
    const prices = { 'scripted-1': { input: 1_000_000, output: 0 } }
    const { agent: child } = setUpChild([], { prices })
    const { agent } = setUpParent([{ content: [spawn('t1'), spawn('t2')] }], [child], { prices })
    const run = agent.run({ prompt: 'go' })
    const { usage, cost, steps } = await run.result()
    expect({ usage, total: cost?.total, steps }).toMatchObject({
      usage: { input_tokens: 40, output_tokens: 20 },
      total: 40,
      steps: 2,
    })
    const { agent: dear } = setUpChild([])
    const { agent: parent } = setUpParent([{ content: [spawn('t1')] }], [dear], { prices })
    expect((await parent.run({ prompt: 'go' }).result()).cost).toBeNull()
  })

  test('are rejected at the ninth level', async () => {
    let self: Subagent = { name: 'child', description: 'itself', run: () => self.run({}) }
    const replies = Array.from({ length: 9 }, (_, depth) => ({ content: [spawn(`t${depth}`)] }))
    const { agent } = setUpAgent(replies, {
      name: 'child',
      subagents: [{ name: 'child', description: 'itself', run: (...given) => self.run(...given) }],
    })
    self = agent
    const { events } = await collect(agent, { prompt: 'go' })
    const starts = events.filter(({ type }) => type === 'run_start')
    expect(starts).toHaveLength(9)
    expect(resultsOf(events)[0]).toMatchObject({
      isError: true,
      text: expect.stringContaining('8 deep'),
    })
  })

  test('run at most as many concurrently as tools', async () => {
    let running = 0
    let most = 0
    const work = tool('work', async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve))
      running--
    })
    const replies = Array.from({ length: 5 }, (_, index) => ({
      content: [call(`c${index}`, 'work')],
    }))
    const { agent: child } = setUpChild(replies, { tools: [work] })
    const { agent } = setUpParent(
      [{ content: replies.map((_, index) => spawn(`t${index}`)) }],
      [child],
      {
        maxParallelTools: 2,
      },
    )
    const { events } = await collect(agent, { prompt: 'go' })
    expect(most).toBeLessThanOrEqual(2)
    expect(resultsOf(events).filter(({ callId }) => callId.startsWith('t'))).toHaveLength(5)
  })

  test('are not started after a stop', async () => {
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: anything,
      run: () => new Promise(() => {}),
    })
    const { agent: child } = setUpChild([{ content: [call('c1', 'hang')] }], { tools: [hang] })
    const { agent } = setUpParent([{ content: [spawn('t1'), spawn('t2')] }], [child], {
      maxParallelTools: 1,
    })
    const run = agent.run({ prompt: 'go' })
    const { events, end, state } = await collectRun(run, (item) => {
      if (item.type === 'tool_status' && item.callId === 'c1') run.stop()
    })
    expect(events.filter(({ type }) => type === 'run_start')).toHaveLength(2)
    expect(resultsOf(events).map(({ callId }) => callId)).toEqual(['c1', 't1', 't2'])
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(chainFaults(state.messages)).toEqual([])
  })
})

test('a bounded number of sub-agents of earlier runs is kept, the most recently used ones', async () => {
  const { agent: child } = setUpChild([])
  const both = [
    spawn('t4', { resume_agent_uuid: 'id1.2' }),
    spawn('t5', { resume_agent_uuid: 'id1.1' }),
  ]
  const asked = [[spawn('t1')], [spawn('t2')], [spawn('t3')], both, [spawn('t6')]]
  const { agent } = setUpParent(
    asked.flatMap((content) => [{ content }, {}]),
    [child],
    { maxKeptSubagents: 2 },
  )
  let state: AgentState | undefined
  const known: string[][] = []
  const results = []
  for (const prompt of ['one', 'two', 'three', 'four', 'five', 'six']) {
    const run = await collect(agent, state === undefined ? { prompt } : { state, prompt })
    state = run.state
    known.push(Object.keys(state.children ?? {}))
    results.push(...resultsOf(run.events))
  }
  expect(known).toEqual([
    ['id1.1'],
    ['id1.1', 'id1.2'],
    ['id1.1', 'id1.2', 'id1.3'],
    ['id1.3', 'id1.2'],
    ['id1.3', 'id1.2', 'id1.4'],
    ['id1.2', 'id1.4'],
  ])
  expect(results.filter(({ isError }) => isError)).toMatchObject([
    { callId: 't5', text: expect.stringContaining('uuid id1.1 is remembered here; leave') },
  ])
})
