import { describe, expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  confirm,
  resultsOf,
  setUpAgent,
  stagesOf,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, setUpParent, spawn } from '../../../test/support/agents/family.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import { keepCallIds } from '../../../test/support/agents/play-session.ts'
import { createSessionLog } from '../../../test/support/agents/session-log.ts'
import {
  byAnswers,
  createScriptedModel,
  type ScriptedReply,
} from '../../../test/support/agents/scripted-model.ts'
import { checkChain } from '../compaction/chain/check-chain.ts'
import type { AgentState } from '../state/agent-state.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { pendingOf } from '../state/pending-calls.ts'
import type { Subagent } from '../agent.ts'

const clone = (state: AgentState) => JSON.parse(JSON.stringify(state)) as AgentState

describe('checkpoints', () => {
  test('precede the events that they must be stored with, and survive JSON', async () => {
    const { agent } = setUpAgent([{ content: [call('t1', 'w'), call('t2', 'confirm')] }], {
      tools: [tool('w'), confirm],
    })
    const { items } = await collect(agent, { prompt: 'go' })
    const followers = items.flatMap((item, index) =>
      item.type === 'checkpoint' ? [items[index + 1]?.type] : [],
    )
    expect(followers).toEqual([
      'run_start',
      'step_end',
      'tool_result',
      'awaiting_frontend_tools',
      'run_end',
    ])
    for (const item of items) expect(JSON.parse(JSON.stringify(item))).toEqual(item)
  })

  test('each resumes the run to the same end, without repeating a completed step', async () => {
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
    const { states } = await collect(setUpAgent(script, { tools }).agent, { prompt: 'go' })
    expect(states).toHaveLength(8)
    for (const state of states) {
      const { agent, model } = setUpAgent(script.slice(state.steps), { tools })
      const recovered = await collect(agent, { state: clone(state) })
      expect(recovered.end).toMatchObject({ type: 'run_end', stopReason: 'end_turn', steps: 3 })
      expect(model.requests).toHaveLength(3 - state.steps)
      expect(chainFaults(recovered.state.messages)).toEqual([])
      const received = (state.turn?.results ?? []).map((block) => block['tool_use_id'])
      expect(resultsOf(recovered.events).filter(({ callId }) => received.includes(callId))).toEqual(
        [],
      )
      const ranAgain = resultsOf(recovered.events).some(
        ({ callId, isError }) => callId === 't2' && !isError,
      )
      expect(ranAgain).toBe(state.steps === 0)
    }
  })
})

/**
 * Kills a process after each event of a run in turn, and resumes in another from the stored state.
 */
async function dieEverywhere(set: () => Subagent, check: (rest: Collected) => void) {
  const whole = await collect(set(), { agent: 'root', prompt: 'go' })
  for (const [index, item] of whole.items.entries()) {
    if (item.type === 'checkpoint') continue
    const stored = whole.items.slice(0, index + 1)
    const last = stored.findLast((one) => one.type === 'checkpoint')
    if (last?.type !== 'checkpoint' || index === whole.items.length - 1) continue
    const log = createSessionLog()
    log.write(stored)
    log.mend()
    log.faults(last.state)
    log.reopen()
    const state = keepCallIds(clone(last.state), stored)
    const rest = await collect(set(), { state })
    log.write(rest.items)
    expect(log.faults(rest.state)).toEqual([])
    check(rest)
  }
}

type Collected = Awaited<ReturnType<typeof collect>>

/** A model with the same output in every process. */
const steady = (replies: readonly ScriptedReply[]) => ({
  model: createScriptedModel(replies, byAnswers),
})

describe('a process that is killed at any point', () => {
  test('resumes a run with running sub-agents to one end, with one result for each call and no repeated event', async () => {
    const set = () => {
      const tools = [tool('w')]
      const { agent: digger } = setUpChild([], {
        ...steady([{ content: [call('d1', 'w')] }]),
        name: 'digger',
        tools,
      })
      const work = [text('on it'), call('c1', 'w'), spawn('c2', { agent_name: 'digger' })]
      const { agent: child } = setUpChild([], {
        ...steady([{ content: work }]),
        tools,
        subagents: [digger],
      })
      const calls = [spawn('t1'), spawn('t2'), call('t3', 'w')]
      return setUpParent([], [child], { ...steady([{ content: calls }]), tools }).agent
    }
    await dieEverywhere(set, ({ end }) => {
      expect(end).toMatchObject({ agent: 'root', stopReason: 'end_turn', steps: 2 })
    })
  })

  test('emits a pause completely, and pending calls can be answered', async () => {
    const set = () => {
      const guarded = defineTool({
        name: 'guarded',
        description: '',
        input: anything,
        needsApproval: true,
        run: () => 'ran',
      })
      const tools = [guarded, confirm, tool('w')]
      const asked = [call('c1', 'guarded'), call('c2', 'confirm')]
      const { agent: child } = setUpChild([], { ...steady([{ content: asked }]), tools })
      const calls = [spawn('t1'), call('t2', 'guarded'), call('t3', 'confirm'), call('t4', 'w')]
      return setUpParent([], [child], { ...steady([{ content: calls }]), tools }).agent
    }
    await dieEverywhere(set, ({ end, state }) => {
      expect(end).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
      const { calls, approvals } = pendingOf(state)
      expect(calls.map(({ id }) => id)).toEqual(['t3', 'c2'])
      expect(approvals.map(({ id }) => id)).toEqual(['t2', 'c1'])
    })
  })

  test('emits an error once, and sends no request after it', async () => {
    const failure = { type: 'x', message: 'no', retriable: false }
    const set = () =>
      setUpAgent([{ content: [text('a'), call('t1', 'w')], outcome: 'failed' as const, failure }], {
        tools: [tool('w')],
      }).agent
    await dieEverywhere(set, ({ end, types }) => {
      expect(end).toMatchObject({ stopReason: 'error' })
      expect(types.filter((type) => type === 'error').length).toBeLessThanOrEqual(1)
    })
  })

  test.each([['max_tokens'], ['refusal'], ['end_turn'], ['tool_use'], ['pause_turn']])(
    'a message that ended with %s has its regular continuation',
    async (stopReason) => {
      for (const content of [[text('a')], [text('a'), call('t1', 'w')]]) {
        const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
        const said = stopReason === 'pause_turn' ? [...content, search] : content
        const script = [{ content: said, stopReason }]
        const set = () => setUpAgent(script, { tools: [tool('w')] }).agent
        const whole = await collect(set(), { prompt: 'go' })
        const steps = whole.states.flatMap((state) => (state.steps === 1 ? [clone(state)] : []))
        for (const state of steps) {
          const { agent, model } = setUpAgent([], { tools: [tool('w')] })
          const rest = await collect(agent, { state })
          const last = whole.end?.type === 'run_end' ? whole.end.stopReason : ''
          expect(rest.end).toMatchObject({ stopReason: last, steps: whole.state.steps })
          for (const { messages } of model.requests) expect(checkChain(messages)).toEqual([])
        }
      }
    },
  )
})

describe('calls that need approval', () => {
  const runs: string[] = []
  const guarded = defineTool({
    name: 'guarded',
    description: '',
    input: anything,
    needsApproval: true,
    run: (_input, { callId }) => runs.push(callId),
  })

  async function paused() {
    runs.length = 0
    const calls = ['t1', 't2', 't3'].map((id) => call(id, 'guarded'))
    const { agent } = setUpAgent([{ content: calls }], { tools: [guarded] })
    const { state } = await collect(agent, { prompt: 'go' })
    const decisions = [
      { toolUseId: 't1', outcome: 'approved' },
      { toolUseId: 't2', outcome: 'refused', reason: 'no' },
      { toolUseId: 't3', outcome: 'approved' },
    ] as const
    return { agent, state, decisions }
  }

  test('an approved call may have been running and is not run again; a denied call was not', async () => {
    const { agent, state, decisions } = await paused()
    const { states } = await collect(agent, { state, decisions })
    expect(runs).toEqual(['t1', 't3'])
    const [begun] = states
    expect(begun?.pause).toBeUndefined()
    const { events, end } = await collect(agent, { state: clone(begun as AgentState) })
    expect(runs).toEqual(['t1', 't3'])
    const byId = Object.fromEntries(resultsOf(events).map((result) => [result.callId, result.text]))
    expect(byId['t1']).toContain('outcome is unknown')
    expect(byId['t2']).toContain('refused')
    expect(byId['t3']).toContain('outcome is unknown')
    expect(stagesOf(events, 't2')).toEqual(['refused'])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('no checkpoint of the decided run runs any of them twice', async () => {
    const { agent, state, decisions } = await paused()
    const { states } = await collect(agent, { state, decisions })
    for (const stored of states) await collect(agent, { state: clone(stored) })
    expect(runs).toEqual(['t1', 't3'])
  })

  test('an undecided call was not started: it is pending again and not announced again', async () => {
    const { agent, state } = await paused()
    const { ended: _, ...pausing } = state
    const { types, end, state: again } = await collect(agent, { state: clone(pausing) })
    expect(types).toEqual(['run_end'])
    expect(end).toMatchObject({ stopReason: 'awaiting_approval' })
    expect(pendingOf(again).approvals).toHaveLength(3)
    expect(runs).toEqual([])
  })

  test('answers for a run that was killed during other calls run none of these again', async () => {
    let ran = 0
    const { agent: child } = setUpChild([{ content: [call('c1', 'confirm')] }], {
      tools: [confirm],
    })
    const never = tool('never', () => {
      ran++
      return new Promise(() => {})
    })
    const { agent } = setUpParent([{ content: [spawn('t1'), call('t2', 'never')] }], [child], {
      tools: [never],
    })
    let stored: AgentState | undefined
    for await (const item of agent.run({ agent: 'root', prompt: 'go' })) {
      if (item.type === 'checkpoint') stored = clone(item.state)
      if (item.type === 'run_end') break
    }
    const results = [{ toolUseId: 'c1', content: 'yes' }]
    const { events, end } = await collect(agent, { state: stored as AgentState, results })
    expect(ran).toBe(1)
    expect(resultsOf(events).map(({ callId, isError }) => [callId, isError])).toEqual([
      ['t2', true],
      ['c1', false],
      ['t1', false],
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })
})

test('a stopped run stays stopped, and a completed one reports its end again', async () => {
  const { agent, model } = setUpAgent([{ content: [call('t1', 'confirm')] }], { tools: [confirm] })
  const { state } = await collect(agent, { prompt: 'go' })
  const stopped = await collect(agent, { state, stop: true })
  for (const stored of stopped.states) {
    const { end } = await collect(agent, { state: clone(stored) })
    expect(end).toMatchObject({ stopReason: 'aborted' })
  }
  expect(model.requests).toHaveLength(1)
})
