import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  anything,
  call,
  collect,
  collectRun,
  confirm,
  resultsOf,
  setUpAgent,
  stagesOf,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { hashInput } from '../../json/index.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import type { AgentState } from '../state/agent-state.ts'
import { answerPause } from './answer-pause.ts'
import { defineFrontendTool, defineTool } from '../../tools/define-tool.ts'
import { pendingOf } from '../state/pending-calls.ts'
import type { ApprovalDecision } from '../port/index.ts'

const approve = (callId: string, input?: object): ApprovalDecision => ({
  toolUseId: callId,
  outcome: 'approved',
  ...(input !== undefined && { input }),
})
const refuse = (callId: string, reason?: string): ApprovalDecision => ({
  toolUseId: callId,
  outcome: 'refused',
  ...(reason !== undefined && { reason }),
})

/** A tool that needs an approval, and the arguments of its executions. */
function guardedTool() {
  const inputs: unknown[] = []
  const guarded = defineTool({
    name: 'guarded',
    description: '',
    input: anything,
    needsApproval: true,
    run: (input) => {
      inputs.push(input)
      return 'done'
    },
  })
  return { guarded, inputs }
}

async function pausedRun(calls = [call('t1', 'guarded', { a: 1 }), call('t2', 'w')]) {
  const { guarded, inputs } = guardedTool()
  const { agent, model } = setUpAgent([{ content: calls }, { content: [text('fine')] }], {
    tools: [guarded, tool('w'), confirm],
  })
  const run = await collect(agent, { agent: 'a1', prompt: 'go' })
  return { agent, model, inputs, run, state: JSON.parse(JSON.stringify(run.state)) as AgentState }
}

describe('approvals', () => {
  test('a call that needs approval pauses, others do not; the call is stored before the request is emitted', async () => {
    const { run, inputs, state } = await pausedRun()
    expect(inputs).toEqual([])
    expect(run.types.slice(-4)).toEqual(['step_end', 'tool_result', 'awaiting_approval', 'run_end'])
    expect(run.end).toMatchObject({ stopReason: 'awaiting_approval' })
    const asked = run.items.findIndex(({ type }) => type === 'awaiting_approval')
    expect(run.items[asked]).toMatchObject({
      calls: [{ id: 't1', name: 'guarded', inputText: '{"a":1}' }],
    })
    expect(run.items[asked - 1]).toMatchObject({
      state: { pause: { calls: [], approvals: [{ id: 't1' }] } },
    })
    expect(stagesOf(run.events, 't1')).toEqual(['approval_requested'])
    expect(pendingOf(state).approvals).toMatchObject([{ agent: 'a1', id: 't1' }])
  })

  test('an approved call runs with the arguments of the model', async () => {
    const { agent, inputs, state, model } = await pausedRun()
    const { events, end } = await collect(agent, { state, decisions: [approve('t1')] })
    expect(inputs).toEqual([{ a: 1 }])
    expect(stagesOf(events, 't1')).toEqual(['approved', 'started', 'succeeded'])
    expect(model.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'done' },
      { type: 'tool_result', tool_use_id: 't2', content: 'w ran' },
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn', steps: 2 })
  })

  test.each([approve('t1'), refuse('t1')])(
    'a decision is emitted once, before the result, though the run is stopped first: $outcome',
    async (decision) => {
      const { agent, inputs, state } = await pausedRun()
      const run = agent.run({ state, decisions: [decision] })
      run.stop()
      const { events, end } = await collectRun(run)
      expect(stagesOf(events, 't1')).toEqual([decision.outcome])
      expect(events.map(({ type }) => type)).toEqual(['tool_status', 'tool_result', 'run_end'])
      expect(resultsOf(events)).toMatchObject([{ callId: 't1', isError: true }])
      expect({ inputs, end }).toMatchObject({ inputs: [], end: { stopReason: 'aborted' } })
    },
  )

  test('an edited call runs with the arguments of the person, which the model and all readers receive', async () => {
    const { agent, inputs, state } = await pausedRun()
    const { events } = await collect(agent, { state, decisions: [approve('t1', { a: 2 })] })
    expect(inputs).toEqual([{ a: 2 }])
    expect(events).toContainEqual({
      type: 'tool_status',
      agent: 'a1',
      callId: 't1',
      name: 'guarded',
      stage: 'approved',
      detail: '{"a":2}',
      fields: { at: expect.any(String), input_hash: hashInput({ a: 1 }), edited: true },
    })
    expect(resultsOf(events)[0]?.text).toBe(
      'The user changed the arguments before the tool ran: {"a":2}\ndone',
    )
  })

  test('a call with edited arguments that the tool rejects gives the model both versions', async () => {
    const strict = defineTool({
      name: 'strict',
      description: '',
      input: z.object({ n: z.number() }),
      needsApproval: true,
      run: () => 'ran',
    })
    const { agent } = setUpAgent([{ content: [call('t1', 'strict', { n: 1 })] }], {
      tools: [strict],
    })
    const { state } = await collect(agent, { prompt: 'go' })
    const { events } = await collect(agent, { state, decisions: [approve('t1', { n: 'x' })] })
    expect(resultsOf(events)).toMatchObject([{ isError: true }])
    expect(resultsOf(events)[0]?.text).toMatch(/changed the arguments[^]*not valid/)
  })

  test('a denied call does not run, and the model gets the reason', async () => {
    const { agent, inputs, state } = await pausedRun()
    const { events, end } = await collect(agent, { state, decisions: [refuse('t1', 'too dear')] })
    expect(inputs).toEqual([])
    expect(stagesOf(events, 't1')).toEqual(['refused'])
    expect(events.find((event) => 'stage' in event && event.stage === 'refused')).toMatchObject({
      detail: 'too dear',
    })
    expect(resultsOf(events)).toMatchObject([
      { callId: 't1', isError: true, text: expect.stringContaining('Their reason: too dear') },
    ])
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })

  test('of several calls, decisions are kept, and the last one resumes the run', async () => {
    const { agent, inputs, state } = await pausedRun([
      call('t1', 'guarded', { n: 1 }),
      call('t2', 'guarded', { n: 2 }),
    ])
    const some = answerPause(state, { decisions: [approve('t2')] })
    expect(some).toMatchObject({ complete: false, changed: true })
    expect(pendingOf(some.state).approvals.map(({ id }) => id)).toEqual(['t1'])
    expect(() => agent.run({ state: some.state })).toThrow(/Some calls have no answer/)
    const all = answerPause(some.state, { decisions: [refuse('t1')] })
    expect(all.complete).toBe(true)
    await collect(agent, { state: all.state })
    expect(inputs).toEqual([{ n: 2 }])
  })

  test('the first decision is final; repeating it has no effect, a different one is a conflict', async () => {
    const { agent, state } = await pausedRun()
    const decided = answerPause(state, { decisions: [approve('t1', { a: 2 })] }).state
    const { state: over } = await collect(agent, { state: decided })
    const { state: later } = await collect(agent, { state: over, prompt: 'next' })
    for (const known of [decided, over, later]) {
      expect(answerPause(known, { decisions: [approve('t1', { a: 2 })] })).toMatchObject({
        state: known,
        changed: false,
      })
      for (const other of [approve('t1'), approve('t1', { a: 3 }), refuse('t1')]) {
        expect(() => answerPause(known, { decisions: [other] })).toThrow(
          expect.objectContaining({ code: 'conflict' }),
        )
      }
    }
  })

  test('a decision for a call without a pending approval is not found, nor is a result for a call with one', async () => {
    const { state } = await pausedRun()
    for (const answers of [
      { decisions: [approve('t2')] },
      { decisions: [approve('t1'), approve('nope')] },
      { decisions: [approve('__proto__')] },
      { results: [{ toolUseId: 't1', content: 'forged' }] },
    ]) {
      expect(() => answerPause(state, answers)).toThrow(
        expect.objectContaining({ code: 'not_found' }),
      )
    }
  })

  test('a rule gets checked arguments; invalid ones need no approval, a rule that throws requires one', async () => {
    const seen: unknown[] = []
    const ruled = defineTool({
      name: 'ruled',
      description: '',
      input: z.object({ amount: z.coerce.number() }),
      needsApproval: ({ amount }) => {
        seen.push(amount)
        if (amount < 0) throw new Error('odd')
        return amount > 100
      },
      run: () => 'ran',
    })
    const { agent } = setUpAgent(
      [
        {
          content: [
            call('small', 'ruled', { amount: '5' }),
            call('large', 'ruled', { amount: '500' }),
            call('odd', 'ruled', { amount: -1 }),
            call('wrong', 'ruled', { amount: 'x' }),
            { ...call('broken', 'ruled'), inputText: '{' },
          ],
        },
      ],
      { tools: [ruled] },
    )
    const { events, state } = await collect(agent, { prompt: 'go' })
    expect(seen).toEqual([5, 500, -1])
    expect(resultsOf(events).map(({ callId, isError }) => [callId, isError])).toEqual(
      expect.arrayContaining([
        ['small', false],
        ['wrong', true],
        ['broken', true],
      ]),
    )
    expect(pendingOf(state).approvals.map(({ id }) => id)).toEqual(['large', 'odd'])
  })

  test('a rule is called once: a requested approval stays requested', async () => {
    let asked = 0
    const fickle = defineTool({
      name: 'fickle',
      description: '',
      input: anything,
      needsApproval: () => ++asked === 1,
      run: () => 'ran',
    })
    const { agent } = setUpAgent([{ content: [call('t1', 'fickle'), call('t2', 'confirm')] }], {
      tools: [fickle, confirm],
    })
    const { state } = await collect(agent, { prompt: 'go' })
    const { ended: _ended, ...died } = state
    const again = await collect(agent, { state: died })
    expect(pendingOf(again.state).approvals.map(({ id }) => id)).toEqual(['t1'])
    expect(asked).toBe(1)
  })

  test('a browser tool is announced once after approval, with edited arguments, and approved once', async () => {
    const sign = defineFrontendTool({
      name: 'sign',
      description: '',
      input: anything,
      needsApproval: true,
    })
    const { agent, model } = setUpAgent([{ content: [call('t1', 'sign', { a: 1 })] }], {
      tools: [sign],
    })
    const { state } = await collect(agent, { prompt: 'go' })
    const approved = await collect(agent, { state, decisions: [approve('t1', { a: 2 })] })
    expect(approved.types).toEqual(['awaiting_frontend_tools', 'run_end'])
    expect(approved.events.at(-2)).toMatchObject({
      calls: [{ id: 't1', name: 'sign', inputText: '{"a":2}' }],
    })
    expect(approved.end).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
    const yes = { toolUseId: 't1', content: 'signed' }
    const answered = await collect(agent, { state: approved.state, results: [yes] })
    expect(stagesOf([...approved.events, ...answered.events], 't1')).toEqual([
      'approved',
      'succeeded',
    ])
    const received = 'The user changed the arguments before the tool ran: {"a":2}\nsigned'
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([{ content: received }])
    expect(answerPause(answered.state, { results: [yes] }).changed).toBe(false)
    expect(() => answerPause(answered.state, { results: [{ ...yes, content: 'no' }] })).toThrow(
      /already has another answer/,
    )
  })

  test('approvals and browser calls of one turn are announced together, the approvals first', async () => {
    const { run } = await pausedRun([call('t1', 'confirm'), call('t2', 'guarded')])
    expect(run.types.slice(-3)).toEqual(['awaiting_approval', 'awaiting_frontend_tools', 'run_end'])
    expect(run.end).toMatchObject({ stopReason: 'awaiting_frontend_tools' })
  })

  test('a new prompt and a stop answer pending calls and run none', async () => {
    for (const input of [{ prompt: 'never mind' }, { stop: true }] as const) {
      const { agent, inputs, state } = await pausedRun()
      const { events, state: after } = await collect(agent, { state, ...input })
      expect(resultsOf(events)).toMatchObject([{ callId: 't1', isError: true }])
      expect(inputs).toEqual([])
      expect(chainFaults(after.messages)).toEqual([])
      expect(pendingOf(after)).toEqual({ calls: [], approvals: [] })
      expect(() => answerPause(after, { decisions: [approve('t1')] })).toThrow(
        expect.objectContaining({ code: 'conflict' }),
      )
    }
  })
})
