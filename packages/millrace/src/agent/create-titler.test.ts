import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { text } from '../../test/support/agents/agent-harness.ts'
import { runs } from '../../test/support/runs.ts'
import {
  createScriptedModel,
  type ScriptedReply,
} from '../../test/support/agents/scripted-model.ts'
import type { Model, Prompt } from '../events/index.ts'
import { createTitler, type TitlerOptions } from './create-titler.ts'

const prompt = 'How much flour do twenty kilograms of wheat make in a mill?'
const beginning = 'How much flour do twenty kilograms of wheat mak…'

function name(reply: ScriptedReply, asked: Prompt = prompt, options: Partial<TitlerOptions> = {}) {
  return createTitler({ model: createScriptedModel([reply]), ...options })(asked)
}

const titleOf = (said: string) => name({ content: [text(said)] })

describe('the answer of the title model', () => {
  test('is the title; the model is called once, with instructions to name and not to answer', async () => {
    const model = createScriptedModel([{ content: [text('Flour from wheat')] }])
    expect(await createTitler({ model })(prompt)).toBe('Flour from wheat')
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]).toMatchObject({
      system: expect.stringContaining('at most 50 characters'),
      messages: [{ content: [{ text: expect.stringContaining(prompt) }] }],
    })
    expect(model.requests[0]?.tools).toBeUndefined()
  })

  test.each([
    ['"Flour from wheat"'],
    ['“Flour from wheat”'],
    ['**Flour from wheat**'],
    ['# Flour from wheat\n\nIt is about flour.'],
    ['\n  Flour   from\twheat  \n'],
    ['Title: `Flour` from [wheat](https://wheat.example)'],
    ['- _Flour from wheat_'],
    ['> "**Title:** Flour from wheat"'],
    ['---\nFlour from wheat'],
  ])('is one line without quotes and Markdown: %j', async (said) => {
    expect(await titleOf(said)).toBe('Flour from wheat')
  })

  test.each(["The miller’s on_error isn't run", 'L’été au moulin'])(
    'keeps quotes and Markdown inside words: %s',
    async (said) => {
      expect(await titleOf(said)).toBe(said)
    },
  )

  test('is truncated to the limit, which counts characters', async () => {
    expect(await titleOf('🌾'.repeat(60))).toBe(`${'🌾'.repeat(47)}…`)
    expect(await titleOf('🌾'.repeat(50))).toBe('🌾'.repeat(50))
  })

  test('is read after thinking, and its usage is reported', async () => {
    const used: unknown[] = []
    const thought = { type: 'thinking', thinking: 'Wheat, so flour.', signature: 's' }
    const said = { content: [thought, text('Flour')], usage: { input_tokens: 7, output_tokens: 3 } }
    const onUsage: TitlerOptions['onUsage'] = (usage, modelId) => used.push(modelId, usage)
    expect(await name(said, prompt, { onUsage })).toBe('Flour')
    expect(used).toEqual(['scripted-1', said.usage])
  })
})

describe('the beginning of the prompt is the title', () => {
  const failure = { type: 'overloaded_error', message: 'Overloaded', retriable: true }
  const hidden = new Error('socket')

  test.each<[string, ScriptedReply]>([
    ['fails', { outcome: 'failed', failure }],
    ['breaks off', { outcome: 'interrupted', content: [text('Flo')] }],
    ['refuses', { outcome: 'refused', stopReason: 'refusal', content: [text('No.')] }],
    ['throws', { throws: hidden }],
    ['says nothing', { content: [] }],
    ['says nothing that can be read', { content: [text('"**"\n---')] }],
  ])('for a model that %s', async (_, reply) => {
    expect(await name(reply)).toBe(beginning)
  })

  test('for a model that exceeds its time limit, also if it ignores the signal', async () => {
    for (const hangs of ['until_aborted', 'deaf'] as const) {
      const errors: unknown[] = []
      const onError = (error: unknown) => errors.push(error)
      expect(await name({ hangs }, prompt, { timeoutMs: 5, onError })).toBe(beginning)
      expect(errors).toMatchObject([{ code: 'model_failed' }])
    }
  })

  test('for a model that cannot be called', async () => {
    const stream = () => {
      throw hidden
    }
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    expect(await createTitler({ model: { id: 'm', stream }, onError })(prompt)).toBe(beginning)
    expect(errors).toEqual([hidden])
  })

  test('unchanged, if it is short enough', async () => {
    expect(await name({ throws: hidden }, 'Grind\n  20 kg')).toBe('Grind 20 kg')
  })

  test('and no model is called if the prompt has no text', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://mill.example/a.png' } }
    const model = createScriptedModel([])
    expect(await createTitler({ model })([image])).toBe('Untitled')
    expect(model.requests).toEqual([])
  })
})

test('the model gets a bounded part of the prompt', async () => {
  const model = createScriptedModel([])
  await createTitler({ model, maxPromptChars: 100 })([text('grain '.repeat(1000))])
  expect(JSON.stringify(model.requests[0]?.messages).length).toBeLessThan(300)
})

test('for any answer of a model, a title is one short line with visible text', async () => {
  const said = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
  await fc.assert(
    fc.asyncProperty(
      said,
      said,
      fc.integer({ min: 4, max: 60 }),
      async (asked, answer, maxChars) => {
        const model: Model = createScriptedModel([{ content: [text(answer)] }])
        const title = await createTitler({ model, maxChars })(asked)
        expect(Array.from(title).length).toBeLessThanOrEqual(Math.max(maxChars, 'Untitled'.length))
        expect(title).toBe(title.trim())
        expect(title).not.toMatch(/[\r\n]/)
        expect(title).not.toBe('')
      },
    ),
    { numRuns: runs(50, 5000) },
  )
})

test('a listener that throws does not prevent the title', async () => {
  const failing = () => {
    throw new Error('log is full')
  }
  expect(await name({ outcome: 'interrupted' }, prompt, { onError: failing })).toBe(beginning)
  const said = { content: [text('Flour')] }
  expect(await name(said, prompt, { onUsage: failing, onError: failing })).toBe('Flour')
})
