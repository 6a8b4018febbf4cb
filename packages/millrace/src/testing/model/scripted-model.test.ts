import { expect, expectTypeOf, test } from 'vitest'
import { createAgent } from '../../agent/create-agent.ts'
import type { Model } from '../../events/index.ts'
import { defineTool } from '../../tools/index.ts'
import { scriptedModel, type ScriptEntry } from './scripted-model.ts'

const grind = defineTool({
  name: 'grind',
  description: '',
  input: { type: 'object' },
  run: () => '16 kg',
})

function createMiller(script: readonly ScriptEntry[]) {
  const model = scriptedModel(script)
  const agent = createAgent({ name: 'miller', model, tools: [grind], retryDelayMs: 0 })
  return { agent, model }
}

test('a script answers one request after the other, and the requests are recorded', async () => {
  const { agent, model } = createMiller([
    { thinking: 'Flour.', text: 'I grind.', calls: [{ name: 'grind', input: { kg: 20 } }] },
    ({ messages }) => `Requests have ${messages.length} messages.`,
  ])
  const { finalAnswer, steps, stopReason } = await agent.run({ prompt: 'go' }).result()
  expect([finalAnswer, steps, stopReason]).toEqual(['Requests have 3 messages.', 2, 'end_turn'])
  expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3])
  expect(model.requests[1]?.messages[1]?.content).toEqual([
    { type: 'thinking', thinking: 'Flour.', signature: 'scripted' },
    { type: 'text', text: 'I grind.' },
    { type: 'tool_use', id: 'call_1', name: 'grind', input: { kg: 20 } },
  ])
})

test('a retriable failure cuts the text, and the next answer replaces it', async () => {
  const error = { message: 'Overloaded.', retriable: true }
  const { agent } = createMiller([{ text: 'Half an', error }, 'A whole answer'])
  const types: string[] = []
  const run = agent.run({ prompt: 'go' })
  for await (const { type } of run) types.push(type)
  expect(types).toContain('rollback')
  expect((await run.result()).finalAnswer).toBe('A whole answer')
})

test('a failure is permanent by default, and a request after the script fails', async () => {
  const refused = await createMiller([{ error: 'No key.' }])
    .agent.run({ prompt: 'go' })
    .result()
  expect([refused.stopReason, refused.error?.message]).toEqual(['error', 'No key.'])
  const ended = await createMiller([]).agent.run({ prompt: 'go' }).result()
  expect(ended.error?.message).toMatch(/has 0 answers, and this is request 1; add an answer/)
})

test('the stop reason determines the outcome, and an aborted answer ends at once', async () => {
  const { agent } = createMiller([{ text: 'Too long', stopReason: 'max_tokens' }])
  expect((await agent.run({ prompt: 'go' }).result()).stopReason).toBe('max_tokens')
  const request = { messages: [], maxTokens: 1 }
  const events = scriptedModel(['Hello']).stream(request, { signal: AbortSignal.abort() })
  const types: string[] = []
  for await (const event of events) types.push(event.type)
  expect(types).toEqual(['message_start', 'message_end'])
})

test('a stopped answer keeps its text so far', async () => {
  const { agent } = createMiller(['Hello, mill'])
  const run = agent.run({ prompt: 'go' })
  for await (const { type } of run) if (type === 'block_delta') run.stop()
  const { stopReason, finalAnswer } = await run.result()
  expect([stopReason, finalAnswer]).toEqual(['aborted', 'Hel'])
})

test('mistakes in a script are refused when the model is created', () => {
  const create = (entry: object) => () => scriptedModel([entry])
  expect(create({ txt: 'x' })).toThrow(/Did you mean `text`/)
  expect(create({ calls: [{ tool: 'x' }] })).toThrow(/has no option `tool`/)
  expect(create({ calls: [{ input: {} }] })).toThrow('needs a `name`')
  expect(() => scriptedModel('x' as never)).toThrow('must be a list')
  expectTypeOf(scriptedModel([])).toExtend<Model>()
  // @ts-expect-error An answer has no such member.
  expect(() => scriptedModel([{ reply: 'x' }])).toThrow('no option')
})
