import { expect, expectTypeOf, test } from 'vitest'
import {
  call,
  collect,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import type { AgentOptions } from '../create-agent.ts'
import { forContext } from '../for-context.ts'
import type { StepSettings } from './step-hooks.ts'

const script = [{ content: [call('c1', 'find', { id: 7 })] }, { content: [text('Found.')] }]

function setUp(options: Partial<AgentOptions>) {
  return setUpAgent(script, { tools: [tool('find')], ...options })
}

test('`beforeStep` chooses the model and the tool choice of a step', async () => {
  const strong = { ...createScriptedModel([{ content: [text('Found it.')] }]), id: 'strong' }
  const steps: number[] = []
  const { agent, model } = setUp({
    toolChoice: 'auto',
    beforeStep: ({ step }) => {
      steps.push(step)
      return step === 2 ? { model: strong, toolChoice: 'none' } : undefined
    },
  })
  const { end, state } = await collect(agent, { prompt: 'go' })
  expect(steps).toEqual([1, 2])
  expect(end).toMatchObject({ stopReason: 'end_turn', steps: 2 })
  expect(state.messages.at(-1)?.content).toEqual([text('Found it.')])
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto'])
  expect(strong.requests.map(({ toolChoice }) => toolChoice)).toEqual(['none'])
})

test('an error of `beforeStep`, or settings that do not exist, end the run with an error', async () => {
  const errors: string[] = []
  const fail = (): StepSettings => {
    throw new Error('broken')
  }
  const wrong = [fail, () => ({ modle: 1 }) as StepSettings, () => ({ model: {} }) as StepSettings]
  for (const beforeStep of wrong) {
    const { agent, model } = setUp({ beforeStep, onError: (error) => errors.push(String(error)) })
    const { types } = await collect(agent, { prompt: 'go' })
    expect(types.slice(-2)).toEqual(['error', 'run_end'])
    expect(model.requests).toEqual([])
  }
  expect(errors).toEqual([
    'Error: broken',
    expect.stringContaining('Did you mean `model`?'),
    expect.stringContaining('a `model` without `stream`'),
  ])
})

test('`onToolCall` and `afterStep` receive calls before they run, and steps with results', async () => {
  const seen: unknown[] = []
  const find = tool('find', () => {
    seen.push('runs')
    return 'found'
  })
  const { agent } = setUp({
    tools: [find],
    onToolCall: ({ callId, name, input }) => seen.push([callId, name, input]),
    afterStep: ({ step, calls, results }) =>
      seen.push([step, calls.length, results.map((result) => result.text)]),
  })
  await collect(agent, { prompt: 'go' })
  expect(seen).toEqual([['c1', 'find', { id: 7 }], 'runs', [1, 1, ['found']], [2, 0, []]])
})

test('errors and rejections of observers go to `onError` and have no effect on the run', async () => {
  const errors: string[] = []
  const { agent } = setUp({
    onToolCall: () => {
      throw new Error('thrown')
    },
    afterStep: ({ step }) => Promise.reject(new Error(`rejected ${step}`)),
    onError: (error) => errors.push(String(error)),
  })
  const { end } = await collect(agent, { prompt: 'go' })
  expect(end).toMatchObject({ stopReason: 'end_turn', steps: 2 })
  expect(errors).toEqual(['Error: thrown', 'Error: rejected 1', 'Error: rejected 2'])
})

test('a step that a crash interrupted is prepared again', async () => {
  const { states } = await collect(setUp({}).agent, { prompt: 'go' })
  const afterResults = states.find(({ turn }) => turn?.results.length === 1)
  const seen: string[] = []
  const { agent } = setUp({
    beforeStep: ({ step }) => void seen.push(`before ${step}`),
    afterStep: ({ step }) => seen.push(`after ${step}`),
  })
  await collect(agent, { state: structuredClone(afterResults!) })
  expect(seen.slice(0, 2)).toEqual(['after 1', 'before 2'])
})

test('hooks have the type of the context', () => {
  type Context = { readonly plan: string }
  forContext<Context>().createAgent({
    name: 'typed',
    model: setUpAgent([]).model,
    beforeStep: ({ context }) => {
      expectTypeOf(context).toEqualTypeOf<Context>()
      return {}
    },
    afterStep: ({ context }) => expectTypeOf(context).toEqualTypeOf<Context>(),
    onToolCall: ({ context }) => expectTypeOf(context).toEqualTypeOf<Context>(),
  })
})
