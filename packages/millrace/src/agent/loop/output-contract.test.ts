import { expect, test } from 'vitest'
import { z } from 'zod'
import { collect, setUpAgent, text } from '../../../test/support/agents/agent-harness.ts'
import { parseOutput } from '../../json/index.ts'
import type { AgentOptions } from '../create-agent.ts'

const Order = z.object({ id: z.string(), pieces: z.number().int() })

async function answer(replies: readonly string[], options: Partial<AgentOptions> = {}) {
  const script = replies.map((reply) => ({ content: [text(reply)] }))
  const { agent, model } = setUpAgent(script, { output: Order, ...options })
  const run = agent.run({ prompt: 'go' })
  return { ...(await run.result()), requests: model.requests }
}

const sentTo = ({ requests }: Awaited<ReturnType<typeof answer>>, index: number) =>
  String(requests[index]?.messages.at(-1)?.content.at(-1)?.['text'])

test('the model gets the schema, and a valid answer ends the run', async () => {
  const done = await answer(['{"id":"7","pieces":2}'], { system: 'You sell flour.' })
  expect(done).toMatchObject({ finalAnswer: '{"id":"7","pieces":2}', steps: 1 })
  expect(done.requests[0]?.system).toMatch(
    /^You sell flour\.\n\nYour final answer must be one JSON/,
  )
  expect(done.requests[0]?.system).toContain('"pieces":{"type":"integer"')
})

test('an answer that is no JSON, or does not match, returns to the model with the problem', async () => {
  const words = await answer(['Two pieces.', '{"id":"7","pieces":2}'])
  expect(words).toMatchObject({ finalAnswer: '{"id":"7","pieces":2}', steps: 2 })
  expect(sentTo(words, 1)).toMatch(/^Your answer is not JSON\. Answer again/)
  const wrong = await answer(['{"id":7,"pieces":2}', '{"id":"7","pieces":2}'])
  expect(sentTo(wrong, 1)).toMatch(/^The members are not valid:\n- id: .*\nAnswer again/)
})

test('it is repaired once; then the run ends with the answer as it is', async () => {
  const { finalAnswer, steps, stopReason } = await answer(['one', 'two', 'three'])
  expect([finalAnswer, steps, stopReason]).toEqual(['two', 2, 'end_turn'])
  expect(await answer(['one', 'two'], { maxAnswerChecks: 0 })).toMatchObject({ steps: 1 })
})

test('a code fence around the object is accepted', async () => {
  const fenced = '```json\n{"id":"7","pieces":2}\n```'
  const { finalAnswer, steps } = await answer([fenced])
  expect(steps).toBe(1)
  expect(await parseOutput(Order, finalAnswer)).toEqual({ id: '7', pieces: 2 })
})

test('a valid output is then checked by `finalAnswerCheck`', async () => {
  const seen: string[] = []
  const finalAnswerCheck = (one: string) => {
    seen.push(one)
    return seen.length > 1 || 'More pieces.'
  }
  const done = await answer(['{"id":"7","pieces":2}', '{"id":"7","pieces":3}'], {
    finalAnswerCheck,
  })
  expect(seen).toEqual(['{"id":"7","pieces":2}', '{"id":"7","pieces":3}'])
  expect(done.steps).toBe(2)
})

test('a JSON Schema is an output too; a schema of no object is refused', async () => {
  const output = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  expect(await answer(['{}', '{"id":"7"}'], { output })).toMatchObject({ steps: 2 })
  await expect(answer([], { output: z.string() })).rejects.toThrow(
    'The `output` of the agent must be an object with named members',
  )
})

test('an answer is parsed with its schema, or refused with the reason', async () => {
  await expect(parseOutput(Order, 'Two.')).rejects.toThrow('it is not JSON: "Two."')
  await expect(parseOutput(Order, '{"id":"7"}')).rejects.toThrow(/valid output: pieces: /)
})

test('a run that continues after a crash repairs the answer too', async () => {
  const { agent } = setUpAgent([{ content: [text('one')] }], { output: Order })
  const { states } = await collect(agent, { prompt: 'go' })
  const repairing = states.find(({ checks }) => checks === 1)
  const { agent: next } = setUpAgent([{ content: [text('{"id":"7","pieces":2}')] }], {
    output: Order,
  })
  const { end } = await collect(next, { state: structuredClone(repairing!) })
  expect(end).toMatchObject({ stopReason: 'end_turn', steps: 2 })
})
