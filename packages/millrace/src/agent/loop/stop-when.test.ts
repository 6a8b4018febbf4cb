import { expect, expectTypeOf, test } from 'vitest'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import {
  call,
  collect,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { forContext } from '../for-context.ts'
import type { FinishedStep, StopCondition } from './stop-when.ts'

const script = [
  { content: [text('I look.'), call('c1', 'find', { id: 7 }), call('c2', 'fail')] },
  { content: [call('c3', 'find')] },
  { content: [text('Found.')] },
]
const fail = tool('fail', () => {
  throw new Error('no')
})

function setUp(stopWhen: StopCondition) {
  return setUpAgent(script, { tools: [tool('find'), fail], stopWhen, onError: () => {} })
}

test('a condition ends the run after the results of a step, and a later prompt continues', async () => {
  const { agent, model } = setUp(({ step }) => step === 2)
  const { end, state, types } = await collect(agent, { prompt: 'go' })
  expect(end).toMatchObject({ type: 'run_end', stopReason: 'stop_condition', steps: 2 })
  expect(types).not.toContain('error')
  expect(model.requests).toHaveLength(2)
  expect(chainFaults(state.messages)).toEqual([])
  const later = await collect(agent, { state, prompt: 'and now?' })
  expect(later.end).toMatchObject({ stopReason: 'end_turn', steps: 1 })
  expect(chainFaults(later.state.messages)).toEqual([])
})

test('it gets the calls, their results and the usage; steps without calls are not asked about', async () => {
  const seen: FinishedStep[] = []
  const { agent } = setUp((step) => {
    seen.push(step)
    return false
  })
  await collect(agent, { prompt: 'go' })
  expect(seen.map(({ step }) => step)).toEqual([1, 2])
  expect(seen[0]).toEqual({
    agent: expect.any(String),
    context: undefined,
    step: 1,
    calls: [
      { id: 'c1', name: 'find', input: { id: 7 } },
      { id: 'c2', name: 'fail', input: {} },
    ],
    results: [
      { callId: 'c1', name: 'find', text: 'find ran', isError: false },
      { callId: 'c2', name: 'fail', text: expect.stringContaining('no'), isError: true },
    ],
    usage: { input_tokens: 10, output_tokens: 5 },
  })
})

test('a run that continues from any stored state ends at the same step', async () => {
  const { states } = await collect(setUp(({ step }) => step === 1).agent, { prompt: 'go' })
  for (const stored of states.slice(1)) {
    const { agent, model } = setUp(({ step }) => step === 1)
    const { end } = await collect(agent, { state: structuredClone(stored) })
    expect(end).toMatchObject({ stopReason: 'stop_condition', steps: 1 })
    expect(model.requests.length).toBeLessThanOrEqual(1)
  }
})

test('a message of the user that was accepted meanwhile is answered', async () => {
  const { agent, model } = setUp(({ step }) => {
    if (step === 1) run.steer('One more thing.')
    return step === 1
  })
  const run = agent.run({ prompt: 'go' })
  expect(await run.result()).toMatchObject({ stopReason: 'end_turn', steps: 3 })
  expect(model.requests[1]?.messages.at(-1)?.content.at(-1)).toEqual(text('One more thing.'))
})

test('a condition that throws ends the run with an error', async () => {
  const { agent } = setUp(() => {
    throw new Error('broken')
  })
  const { types, state } = await collect(agent, { prompt: 'go' })
  expect(types.slice(-2)).toEqual(['error', 'run_end'])
  expect(chainFaults(state.messages)).toEqual([])
})

test('a condition has the type of the context', () => {
  forContext<{ readonly plan: string }>().createAgent({
    name: 'typed',
    model: setUpAgent([]).model,
    stopWhen: ({ context, results }) => {
      expectTypeOf(context).toEqualTypeOf<{ readonly plan: string }>()
      return results.some(({ isError }) => isError)
    },
  })
})
