import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../agent/create-agent.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { scriptedModel, type ScriptEntry } from '../../testing/model/scripted-model.ts'
import { defineFrontendTool } from '../../tools/index.ts'
import { createMillrace } from './create-millrace.ts'

const Order = z.object({ id: z.string(), pieces: z.number() })
const confirm = defineFrontendTool({ name: 'confirm', description: '', input: { type: 'object' } })

async function start(script: readonly ScriptEntry[]) {
  const model = scriptedModel(script)
  const options = { tools: [confirm], output: Order, retryDelayMs: 0, onError: () => {} }
  const clerk = createAgent({ name: 'clerk', model, ...options })
  const agents = { clerk }
  const mill = createMillrace({ agents, defaultAgent: 'clerk', store: createMemoryStore() })
  return { mill, run: await mill.sessions.start('go') }
}

test('the output of a run is a value of its schema', async () => {
  const { mill, run } = await start(['{"id":"7","pieces":2}'])
  const order = await run.output(Order)
  expectTypeOf(order).toEqualTypeOf<{ id: string; pieces: number }>()
  expect(order).toEqual({ id: '7', pieces: 2 })
  await mill.close()
})

test('its parts are read while it is written, from the beginning after a repair and a rollback', async () => {
  const error = { message: 'Overloaded.', retriable: true }
  const { mill, run } = await start([
    { text: '{"id":"lost', error },
    '```json\n{"id":7}\n```',
    '{"id":"7","pieces":2}',
  ])
  const parts: string[] = []
  for await (const part of run.outputStream) parts.push(JSON.stringify(part))
  expect(parts.at(-1)).toBe('{"id":"7","pieces":2}')
  expect(parts).toContain('{"id":7}')
  expect(parts.filter((part) => part === '{}').length).toBeGreaterThan(0)
  expect(await run.output(Order)).toEqual({ id: '7', pieces: 2 })
  await mill.close()
})

test('an invalid answer, a pause and a failure have no output, with their reasons', async () => {
  const cases: [ScriptEntry[], string, string][] = [
    [['one', 'two'], 'model_failed', 'it is not JSON: "two"'],
    [[{ calls: [{ name: 'confirm' }] }], 'conflict', 'its status is "waiting"'],
    [[{ error: 'No key.' }], 'conflict', 'its status is "failed": No key.'],
  ]
  for (const [script, code, message] of cases) {
    const { mill, run } = await start(script)
    const expected = expect.objectContaining({ code, message: expect.stringContaining(message) })
    await expect(run.output(Order)).rejects.toEqual(expected)
    await mill.close()
  }
})
