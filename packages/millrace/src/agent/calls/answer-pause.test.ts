import { describe, expect, test } from 'vitest'
import {
  call,
  collect,
  confirm,
  resultsOf,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import type { AgentState } from '../state/agent-state.ts'
import { answerPause } from './answer-pause.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { ApprovalDecision } from '../port/index.ts'

const asked = [call('t1', 'confirm', { q: 1 }), call('t2', 'w'), call('t3', 'confirm')]
const yes = { toolUseId: 't1', content: 'yes' }
const no = { toolUseId: 't3', content: 'no', isError: true }

async function pausedRun() {
  const { agent, model } = setUpAgent(
    [{ content: [text('a'), ...asked] }, { content: [text('fine')] }],
    {
      tools: [tool('w'), confirm],
    },
  )
  const run = await collect(agent, { agent: 'a1', prompt: 'go' })
  return { agent, model, run, state: JSON.parse(JSON.stringify(run.state)) as AgentState }
}

describe('a pause', () => {
  test('follows the results of server tools, is stored before it is announced, and ends the run', async () => {
    const { run, model } = await pausedRun()
    expect(run.types.slice(-4)).toEqual([
      'step_end',
      'tool_result',
      'awaiting_frontend_tools',
      'run_end',
    ])
    expect(run.events.at(-2)).toMatchObject({
      calls: [
        { id: 't1', name: 'confirm', inputText: '{"q":1}' },
        { id: 't3', name: 'confirm', inputText: '{}' },
      ],
    })
    const announced = run.items.findIndex(({ type }) => type === 'awaiting_frontend_tools')
    expect(run.items[announced - 1]).toMatchObject({
      type: 'checkpoint',
      state: { pause: { calls: [{ id: 't1' }, { id: 't3' }] } },
    })
    expect(run.end).toMatchObject({ stopReason: 'awaiting_frontend_tools', steps: 1 })
    expect(model.requests).toHaveLength(1)
  })

  test('arguments keep the bytes of the model', async () => {
    const raw = '{ "id": 12345678901234567890, "x": 1e400 }'
    const { agent } = setUpAgent([{ content: [{ ...call('t1', 'confirm'), inputText: raw }] }], {
      tools: [confirm],
    })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(events.at(-2)).toMatchObject({ calls: [{ inputText: raw }] })
  })

  test('a call that the browser cannot run gets a result at once and causes no pause', async () => {
    const bad = { ...call('t1', 'confirm'), inputText: '{' }
    const { agent } = setUpAgent(
      [{ content: [bad, { ...call('t2', 'confirm'), inputText: '[]' }] }],
      { tools: [confirm] },
    )
    const { types, events } = await collect(agent, { prompt: 'go' })
    expect(types).not.toContain('awaiting_frontend_tools')
    expect(resultsOf(events).every(({ isError }) => isError)).toBe(true)
  })

  test('ends when all calls are answered: the answers are emitted, then the model gets all results in call order', async () => {
    const { agent, model, state } = await pausedRun()
    const resumed = await collect(agent, { state, results: [no, yes] })
    expect(resumed.types.slice(0, 3)).toEqual(['tool_result', 'tool_result', 'block_start'])
    expect(resultsOf(resumed.events)).toMatchObject([
      { callId: 't1', name: 'confirm', text: 'yes', isError: false },
      { callId: 't3', text: 'no', isError: true },
    ])
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'yes' },
      { type: 'tool_result', tool_use_id: 't2', content: 'w ran' },
      { type: 'tool_result', tool_use_id: 't3', content: 'no', is_error: true },
    ])
    expect(resumed.end).toMatchObject({
      stopReason: 'end_turn',
      steps: 2,
      usage: { input_tokens: 20 },
    })
    expect(resumed.state.pause).toBeUndefined()
  })

  test('each answer is emitted once, for a kill of the process at any point', async () => {
    const { agent, state } = await pausedRun()
    const answered = answerPause(state, { results: [yes, no] }).state
    const whole = await collect(agent, { state: answered })
    for (const [index, item] of whole.items.entries()) {
      if (item.type !== 'checkpoint' || item.state.pause === undefined) continue
      // The state is stored together with the event after it.
      const stored = whole.items.slice(0, index + 2).filter(({ type }) => type === 'tool_result')
      const { agent: other } = setUpAgent([], { tools: [tool('w'), confirm] })
      const rest = await collect(other, { state: item.state })
      const received = [...stored, ...resultsOf(rest.events)].map(
        (result) => 'id' in result && result.id,
      )
      expect(received).toEqual(['t1', 't3'])
    }
  })

  test('a new prompt answers pending calls and reports that', async () => {
    const { agent, model, state } = await pausedRun()
    const { events, state: after } = await collect(agent, {
      state: answerPause(state, { results: [yes] }).state,
      prompt: 'never mind',
    })
    expect(events[0]?.type).toBe('run_start')
    expect(resultsOf(events)).toMatchObject([
      { callId: 't1', text: 'yes', isError: false },
      { callId: 't3', isError: true },
    ])
    const sent = model.requests[1]?.messages ?? []
    expect(chainFaults(sent)).toEqual([])
    expect(sent.at(-1)?.content).toMatchObject([
      { tool_use_id: 't1', content: 'yes' },
      { tool_use_id: 't2', content: 'w ran' },
      { tool_use_id: 't3', is_error: true, content: expect.stringContaining('new message') },
      text('never mind'),
    ])
    expect(after.runStart).toBe(2)
  })
})

describe('answerPause', () => {
  test('keeps a partial set of answers and reports that calls are pending', async () => {
    const { agent, state } = await pausedRun()
    const partial = answerPause(state, { results: [yes] })
    expect(partial).toMatchObject({ complete: false, changed: true })
    expect(state.turn?.results).toHaveLength(1)
    expect(() => agent.run({ state: partial.state })).toThrow(/Some calls have no answer/)
    expect(answerPause(partial.state, { results: [no] })).toMatchObject({
      complete: true,
      changed: true,
    })
  })

  test('keeps the first answer: repeating it has no effect, a different one is a conflict', async () => {
    const { agent, state } = await pausedRun()
    const { state: answered } = answerPause(state, { results: [yes, yes] })
    expect(answerPause(answered, { results: [yes] })).toEqual({
      state: answered,
      complete: false,
      changed: false,
    })
    expect(() => answerPause(answered, { results: [{ ...yes, content: 'no' }] })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    expect(() => answerPause(answered, { results: [{ ...yes, isError: true }] })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    const done = await collect(agent, { state, results: [yes, no] })
    expect(answerPause(done.state, { results: [no, yes] })).toEqual({
      state: done.state,
      complete: false,
      changed: false,
    })
    expect(() => answerPause(done.state, { results: [{ ...no, content: '' }] })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    expect(() => agent.run({ state: done.state, results: [yes] })).toThrow(/not paused/)
  })

  test('rejects an unknown call, and a call of a server tool, as not found', async () => {
    const { state } = await pausedRun()
    for (const callId of ['nope', 't2']) {
      expect(() =>
        answerPause(state, { results: [yes, { toolUseId: callId, content: 'x' }] }),
      ).toThrow(expect.objectContaining({ code: 'not_found' }))
    }
  })

  test('an answer of blocks is shown as text and images, without content that an API rejects', async () => {
    const { agent, state } = await pausedRun()
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }
    const content = [text('seen'), text(''), image, text('twice')]
    const { events } = await collect(agent, { state, results: [{ toolUseId: 't1', content }, no] })
    expect(resultsOf(events)[0]).toMatchObject({
      text: 'seen\ntwice',
      images: [{ src: 'data:image/png;base64,AA', mediaType: 'image/png' }],
    })
    expect(() =>
      answerPause(state, { results: [{ toolUseId: 't1', content: [call('x', 'w')] }] }),
    ).toThrow(/cannot hold a `tool_use`/)
  })
})

test.each(['refuse', 'REFUSED', 'maybe', undefined])(
  'a decision with the outcome %s is invalid, and runs nothing',
  async (outcome) => {
    let ran = 0
    const guarded = defineTool({
      name: 'w',
      description: '',
      input: { type: 'object' },
      run: () => ++ran,
      needsApproval: true,
    })
    const { agent } = setUpAgent([{ content: [call('t1', 'w')] }], { tools: [guarded] })
    const { state } = await collect(agent, { prompt: 'go' })
    const decisions = [{ toolUseId: 't1', outcome }] as unknown as ApprovalDecision[]
    expect(() => agent.resume(state, { decisions })).toThrow(/must be "approved" or "refused"/)
    expect(ran).toBe(0)
  },
)
