import { expect, test } from 'vitest'
import { collect, setUpAgent, text } from '../../../test/support/agents/agent-harness.ts'

const answers = ['one', 'two', 'three', 'four'].map((word) => ({ content: [text(word)] }))

test('a rejected answer returns to the model with the reason until the check accepts it', async () => {
  const seen: string[] = []
  const { agent, model } = setUpAgent(answers, {
    finalAnswerCheck: async (answer) => {
      seen.push(answer)
      return answer === 'three' || `not ${answer}`
    },
  })
  const { types, end, state } = await collect(agent, { prompt: 'go' })
  expect(seen).toEqual(['one', 'two', 'three'])
  expect(model.requests[2]?.messages.map(({ content }) => content)).toEqual([
    [text('go')],
    [text('one')],
    [text('not one')],
    [text('two')],
    [text('not two')],
  ])
  expect(types.filter((type) => type === 'user_message')).toHaveLength(2)
  expect(end).toMatchObject({ stopReason: 'end_turn', steps: 3 })
  expect(state.checks).toBe(2)
})

test('the number of attempts is bounded, for each run', async () => {
  const { agent, model } = setUpAgent(answers, {
    finalAnswerCheck: () => 'never',
    maxAnswerChecks: 1,
  })
  const { state, end } = await collect(agent, { prompt: 'go' })
  expect(end).toMatchObject({ stopReason: 'end_turn', steps: 2 })
  await collect(agent, { state, prompt: 'again' })
  expect(model.requests).toHaveLength(4)
})

test('failed steps are not checked, and a check that throws ends the run with an error', async () => {
  const seen: string[] = []
  const cut = { content: [text('half')], stopReason: 'max_tokens', outcome: 'truncated' as const }
  const { agent } = setUpAgent([cut], {
    finalAnswerCheck: (answer) => {
      seen.push(answer)
      throw new Error('broken check')
    },
  })
  const first = await collect(agent, { prompt: 'go' })
  expect(first.end).toMatchObject({ stopReason: 'max_tokens' })
  expect(seen).toEqual([])
  const second = await collect(agent, { state: first.state, prompt: 'go' })
  expect(second.types.slice(-2)).toEqual(['error', 'run_end'])
  expect(second.state.messages.at(-1)?.content).toEqual([text('done')])
})

test('a check that never settles does not delay a stopped run', async () => {
  const controller = new AbortController()
  const { agent } = setUpAgent(answers, { finalAnswerCheck: () => new Promise(() => {}) })
  const { end } = await collect(
    agent,
    { prompt: 'go' },
    ({ type }) => type === 'step_end' && setTimeout(() => controller.abort()),
    controller.signal,
  )
  expect(end?.type).toBe('run_end')
})
