import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anything,
  call,
  collectRun,
  confirm,
  resultsOf,
  setUpAgent,
  stagesOf,
} from '../../../test/support/agents/agent-harness.ts'
import { spawn } from '../../../test/support/agents/family.ts'
import { runs } from '../../../test/support/runs.ts'
import { byAnswers, createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { isMillraceError } from '../../errors/index.ts'
import type { AgentState } from '../state/agent-state.ts'
import { answerPause } from './answer-pause.ts'
import { createAgent } from '../create-agent.ts'
import { defineFrontendTool, defineTool } from '../../tools/define-tool.ts'
import { expireRequests } from './decide-call.ts'
import { pendingOf } from '../state/pending-calls.ts'
import type { ApprovalDecision } from '../port/index.ts'

const TTL = 100

/** A clock that a test advances, and a tool that needs an approval and records its executions. */
function setUp() {
  const clock = { now: 1_000 }
  const ran: { readonly id: string; readonly at: number }[] = []
  const guarded = defineTool({
    name: 'guarded',
    description: '',
    input: anything,
    needsApproval: true,
    idempotent: true,
    run: (_input, { callId: id }) => {
      ran.push({ id, at: clock.now })
      return 'done'
    },
  })
  return { clock, ran, guarded, options: { approvalTtlMs: TTL, now: () => clock.now } }
}

const clone = (state: AgentState): AgentState => JSON.parse(JSON.stringify(state)) as AgentState

test('an approval that expires while the start of its tool is stored does not start the tool', async () => {
  const { clock, ran, guarded, options } = setUp()
  const { agent } = setUpAgent([{ content: [call('t1', 'guarded')] }], { tools: [guarded] })
  const { state } = await collectRun(agent.run({ prompt: 'go' }, options))
  const decisions = [{ toolUseId: 't1', outcome: 'approved', at: clock.now }] as const
  const { events } = await collectRun(agent.run({ state, decisions }, options), (item) => {
    if (item.type === 'tool_status' && item.stage === 'started') clock.now += TTL
  })
  expect(stagesOf(events, 't1')).toEqual(['approved', 'started', 'expired'])
  expect(resultsOf(events)).toMatchObject([
    { isError: true, text: expect.stringContaining('expired before the tool started') },
  ])
  expect(ran).toEqual([])
})

test('a call that the browser has received keeps its approval, however long the browser takes', async () => {
  const { clock, options } = setUp()
  const sign = defineFrontendTool({
    name: 'sign',
    description: '',
    input: anything,
    needsApproval: true,
  })
  const { agent } = setUpAgent([{ content: [call('t1', 'sign'), call('c1', 'confirm')] }], {
    tools: [sign, confirm],
  })
  const asked = await collectRun(agent.run({ prompt: 'go' }, options))
  const decisions = [{ toolUseId: 't1', outcome: 'approved' }] as const
  const confirmed = { results: [{ toolUseId: 'c1', content: 'yes' }], decisions }
  const given = await collectRun(agent.run({ state: asked.state, ...confirmed }, options))
  expect(pendingOf(given.state).calls).toMatchObject([{ id: 't1' }])
  clock.now += TTL * 10
  const results = [{ toolUseId: 't1', content: 'signed' }]
  const { events } = await collectRun(agent.run({ state: given.state, results }, options))
  expect(resultsOf(events)).toMatchObject([{ text: 'signed', isError: false }])
})

test('the requests of a turn keep their times when the run pauses again', async () => {
  const { clock, guarded, options } = setUp()
  const child = createAgent({
    name: 'child',
    description: 'child',
    model: createScriptedModel([{ content: [call('q1', 'guarded')] }], byAnswers),
    tools: [guarded],
  })
  const { agent } = setUpAgent(
    [{ content: [call('t1', 'guarded'), spawn('s1', { agent_name: 'child', task: 'x' })] }],
    { tools: [guarded], subagents: [child] },
  )
  const { state } = await collectRun(agent.run({ prompt: 'go' }, options))
  const asked = pendingOf(state).approvals.map(({ request }) => request?.askedAt)
  clock.now += TTL - 1
  const decisions = [{ toolUseId: 'q1', outcome: 'approved' }] as const
  const again = await collectRun(agent.run({ state, decisions }, options))
  expect(pendingOf(again.state).approvals).toMatchObject([
    { id: 't1', request: { askedAt: asked[0], expiresAt: (asked[0] ?? 0) + TTL } },
  ])
})

/** The next event: a user decides, time passes, or the process is killed. */
const anyEvent = fc.record({
  ticks: fc.integer({ min: 0, max: TTL }),
  pick: fc.nat(7),
  isApproved: fc.boolean(),
  /** The number of events of the run that are stored before its process dies; 0 for no death. */
  diesAfter: fc.nat(12),
  ticksAtStart: fc.integer({ min: 0, max: TTL * 2 }),
})

test('no order of decisions, waits and crashes runs a tool by an expired approval', async () => {
  const property = fc.asyncProperty(
    fc.array(anyEvent, { minLength: 1, maxLength: 12 }),
    async (history) => {
      const { clock, ran, guarded, options } = setUp()
      const child = createAgent({
        name: 'child',
        description: 'child',
        model: createScriptedModel([{ content: [call('q1', 'guarded')] }], byAnswers),
        tools: [guarded],
      })
      const calls = [call('t1', 'guarded'), call('t2', 'guarded')]
      const agent = createAgent({
        name: 'parent',
        model: createScriptedModel(
          [{ content: [...calls, spawn('s1', { agent_name: 'child', task: 'x' })] }],
          byAnswers,
        ),
        tools: [guarded],
        subagents: [child],
      })
      const approvedAt = new Map<string, number>()
      let { state } = await collectRun(agent.run({ prompt: 'go' }, options))
      for (const { ticks, pick, isApproved, diesAfter, ticksAtStart } of history) {
        clock.now += ticks
        state = clone(expireRequests(state, clock.now))
        const { approvals } = pendingOf(state)
        const one = approvals[pick % Math.max(1, approvals.length)]
        if (one !== undefined) {
          const outcome = isApproved ? 'approved' : 'refused'
          const decision: ApprovalDecision = { toolUseId: one.id, outcome }
          state = answerPause(state, { decisions: [decision] }, clock.now).state
          if (isApproved) approvedAt.set(one.id, clock.now)
        }
        const isOver = state.ended !== undefined && state.pause === undefined
        if (isOver || (state.pause && state.ended && !answerPause(state, {}).complete)) continue
        let left = diesAfter
        const stored: AgentState[] = []
        for await (const item of agent.run({ state }, options)) {
          if (item.type === 'checkpoint') stored.push(item.state)
          else if (item.type === 'tool_status') clock.now += Math.floor(ticksAtStart / 4)
          if (--left === 0) break
        }
        state = clone(stored.at(-1) ?? state)
      }
      for (const { id, at } of ran) {
        const approved = approvedAt.get(id)
        expect(approved).toBeDefined()
        expect(at - (approved ?? 0)).toBeLessThan(TTL)
      }
    },
  )
  await fc.assert(property, { numRuns: runs(150, 5_000) })
})

test('an approval at the last valid moment counts, one at the next moment does not', async () => {
  const { clock, guarded, options } = setUp()
  const { agent } = setUpAgent([{ content: [call('t1', 'guarded')] }], { tools: [guarded] })
  const { state } = await collectRun(agent.run({ prompt: 'go' }, options))
  const decide = (at: number, outcome: 'approved' | 'refused') =>
    answerPause(state, { decisions: [{ toolUseId: 't1', outcome, at }] }, at)
  expect(decide(clock.now + TTL - 1, 'approved').changed).toBe(true)
  expect(() => decide(clock.now + TTL, 'approved')).toThrow(/expired at .*does not run/)
  expect(decide(clock.now + TTL, 'refused').state.turn?.decisions?.['t1']).toMatchObject({
    outcome: 'expired',
    by: null,
    at: clock.now + TTL,
  })
  expect(expireRequests(state, clock.now + TTL - 1)).toBe(state)
  const late = (): unknown =>
    agent.run({ state, decisions: [{ toolUseId: 't1', outcome: 'approved', at: clock.now + TTL }] })
  expect(late).toThrow(expect.objectContaining({ code: 'conflict' }))
  try {
    late()
  } catch (error) {
    expect(isMillraceError(error) && error.details).toMatchObject({ reason: 'expired' })
  }
})
