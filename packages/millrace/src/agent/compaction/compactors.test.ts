import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyChain } from '../../../test/support/models/any-chain.ts'
import { runs } from '../../../test/support/runs.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { checkChain as checkAsApi } from '../../../../tools/src/emulator/request/message-chain.ts'
import type { Message } from '../../events/index.ts'
import { type Compactor, estimateTokens } from './index.ts'
import { checkChain } from './chain/check-chain.ts'
import { clearToolResults } from './clear-tool-results.ts'
import { type CompactionInput, noCompaction } from './compactor.ts'
import { slidingWindow } from './sliding-window.ts'
import { summarise } from './summarise.ts'

/** A model that returns the same short summary for everything. */
const summariser = {
  id: 'short',
  stream: () =>
    createScriptedModel([{ content: [{ type: 'text', text: 'Short.' }] }]).stream({
      messages: [],
      maxTokens: 1,
    }),
}
const broken = {
  id: 'broken',
  stream: () =>
    createScriptedModel([{ outcome: 'failed' as const }]).stream({ messages: [], maxTokens: 1 }),
}

function toInput(messages: readonly Message[], runStart: number): CompactionInput {
  const signal = new AbortController().signal
  const estimatedTokens = estimateTokens(messages)
  return { messages, estimatedTokens, runStart, model: summariser, signal }
}

const options = fc.record({
  maxTokens: fc.constantFrom(0, 20, 200, 1000, 4000),
  keepFirst: fc.nat(4),
  keepLast: fc.nat(12),
  oldResultChars: fc.constantFrom(0, 10, 500),
  recentTurns: fc.nat(4),
})

const compactor: fc.Arbitrary<Compactor> = fc.oneof(
  options.map(slidingWindow),
  fc
    .record({ maxTokens: fc.constantFrom(0, 200), keepLast: fc.nat(4) })
    .map((chosen) => clearToolResults({ ...chosen, placeholder: '[gone]' })),
  fc
    .record({ maxTokens: fc.constantFrom(0, 200, 1000), keepRecentTokens: fc.constantFrom(0, 300) })
    .map(summarise),
  fc.constantFrom(0, 500).map((maxTokens) => summarise({ maxTokens, model: broken })),
  fc.constant(noCompaction),
)

describe('every compactor, for any conversation,', () => {
  test('returns a valid one that is not larger, ends with the same message and keeps the prompt of the run', async () => {
    await fc.assert(
      fc.asyncProperty(anyChain, compactor, async ({ messages, runStart }, { compact }) => {
        expect(checkChain(messages)).toEqual([])
        const before = structuredClone(messages)
        const compacted = await compact(toInput(messages, runStart))
        expect(checkChain(compacted)).toEqual([])
        expect(() => checkAsApi(compacted, { takesPrefill: true })).not.toThrow()
        expect(compacted.at(-1)).toBe(messages.at(-1))
        expect(estimateTokens(compacted)).toBeLessThanOrEqual(estimateTokens(messages))
        expect(messages).toEqual(before)
        const [prompt] = messages.slice(runStart)
        const blocks = compacted.flatMap(({ content }) => content)
        expect(prompt?.content.every((block) => blocks.includes(block))).toBe(true)
      }),
      { numRuns: runs(400, 20_000) },
    )
  })

  test('changes nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(anyChain, compactor, async ({ messages, runStart }, { name, compact }) => {
        const once = await compact(toInput(messages, runStart))
        const start = once.findLastIndex((message) => message === messages[runStart])
        const again = await compact(toInput(once, Math.max(start, 0)))
        if (name !== 'summarizing') expect(again).toBe(once)
        expect(estimateTokens(again)).toBeLessThanOrEqual(estimateTokens(once))
      }),
      { numRuns: runs(400, 20_000) },
    )
  })

  test('changes nothing if the conversation is small enough', async () => {
    const compactors = [slidingWindow(), clearToolResults(), summarise(), noCompaction]
    await fc.assert(
      fc.asyncProperty(anyChain, async ({ messages, runStart }) => {
        for (const { compact } of compactors) {
          expect(await compact(toInput(messages, runStart))).toBe(messages)
        }
      }),
      { numRuns: runs(50, 500) },
    )
  })
})
