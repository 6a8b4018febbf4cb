import { expect, test } from 'vitest'
import { toUsageTotals } from './usage.ts'

test('counts cached and uncached input', () => {
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 20 }
  expect(toUsageTotals({ ...usage, cache_read_input_tokens: 300 })).toEqual({
    inputTokens: 330,
    outputTokens: 5,
    extraInputTokens: 0,
    extraOutputTokens: 0,
    contextTokens: 335,
  })
})

test('counts compactions and advisors separately, and not in the context', () => {
  const iterations = [
    { type: 'compaction', input_tokens: 1000, output_tokens: 50 },
    { type: 'message', input_tokens: 100, output_tokens: 10 },
    { type: 'advisor_message', input_tokens: 700, output_tokens: 7, cache_read_input_tokens: 3 },
    { type: 'message', input_tokens: 200, output_tokens: 20 },
    { type: 'compaction', input_tokens: 2000, output_tokens: 60 },
  ]
  expect(toUsageTotals({ input_tokens: 300, output_tokens: 30, iterations })).toEqual({
    inputTokens: 300,
    outputTokens: 30,
    extraInputTokens: 3703,
    extraOutputTokens: 117,
    contextTokens: 220,
  })
})

test('ignores invalid counts', () => {
  const usage = { input_tokens: 1, output_tokens: 2, iterations: [null, 'x', { type: 'message' }] }
  expect(toUsageTotals({ ...usage, cache_read_input_tokens: null as never }).inputTokens).toBe(1)
})
