import { describe, expect, expectTypeOf, test } from 'vitest'
import { call, collect, setUpAgent, tool } from '../../../test/support/agents/agent-harness.ts'
import type { AgentOptions } from '../create-agent.ts'
import { forContext } from '../for-context.ts'

const script = [{ content: [call('c1', 'grind')] }, { content: [call('c2', 'grind')] }]

function setUp(toolChoice: AgentOptions['toolChoice'], options: Partial<AgentOptions> = {}) {
  return setUpAgent(script, {
    tools: [tool('grind')],
    ...(toolChoice !== undefined && { toolChoice }),
    ...options,
  })
}

async function choicesOf(toolChoice: AgentOptions['toolChoice'], options?: Partial<AgentOptions>) {
  const { agent, model } = setUp(toolChoice, options)
  const { end, state } = await collect(agent, { prompt: 'go' })
  await collect(agent, { state, prompt: 'again' })
  return { end, choices: model.requests.map((request) => request.toolChoice) }
}

describe('a constant choice', () => {
  test.each(['required', { tool: 'grind' }] as const)(
    'of %j applies to the first step of each run, so that the model can answer',
    async (choice) => {
      const { end, choices } = await choicesOf(choice)
      expect(end).toMatchObject({ stopReason: 'end_turn', steps: 3 })
      expect(choices).toEqual([choice, undefined, undefined, choice])
    },
  )

  test.each(['auto', 'none'] as const)('of %j applies to every step', async (choice) => {
    expect((await choicesOf(choice)).choices).toEqual([choice, choice, choice, choice])
  })

  test('yields to the summary at the limit of steps', async () => {
    expect((await choicesOf('required', { maxSteps: 1 })).choices.slice(0, 2)).toEqual([
      'required',
      'none',
    ])
  })
})

describe('a function', () => {
  test('chooses for each step by its number', async () => {
    const steps: number[] = []
    const { choices } = await choicesOf(({ step }) => {
      steps.push(step)
      return step === 2 ? 'required' : undefined
    })
    expect(steps).toEqual([1, 2, 3, 1])
    expect(choices).toEqual([undefined, 'required', undefined, undefined])
  })

  test('that demands a call in every step ends at the limit of steps', async () => {
    const endless = Array.from({ length: 9 }, (_, index) => ({
      content: [call(`c${index}`, 'grind')],
    }))
    const { agent } = setUpAgent(endless, {
      tools: [tool('grind')],
      toolChoice: () => 'required',
      maxSteps: 4,
    })
    const { end } = await collect(agent, { prompt: 'go' })
    expect(end).toMatchObject({ stopReason: 'max_steps', steps: 4 })
  })

  test('that throws, or returns no choice, ends the run with an error', async () => {
    const errors: unknown[] = []
    for (const choice of ['always', { tool: 'bake' }]) {
      const { agent, model } = setUp(() => choice as 'auto', {
        onError: (error) => errors.push(error),
      })
      const { types } = await collect(agent, { prompt: 'go' })
      expect(types.slice(-2)).toEqual(['error', 'run_end'])
      expect(model.requests).toEqual([])
    }
    expect(errors.map(String)).toEqual([
      expect.stringContaining('it must be "auto", "none", "required", or { tool: NAME }'),
      expect.stringContaining('"bake", which the agent does not offer. It offers: grind.'),
    ])
  })

  test('has the type of the context', () => {
    forContext<{ readonly plan: string }>().createAgent({
      name: 'typed',
      model: setUp('auto').model,
      toolChoice: ({ step, context }) => {
        expectTypeOf(step).toEqualTypeOf<number>()
        expectTypeOf(context).toEqualTypeOf<{ readonly plan: string }>()
        return 'auto'
      },
    })
  })
})

test('an unknown constant is refused when the agent is created', () => {
  for (const choice of ['any', null, { name: 'grind' }, { tool: 1 }])
    expect(() => setUp(choice as 'auto')).toThrow('it must be "auto"')
})
