import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toRetryDelay } from './retry-delay.ts'

const options = { retryDelayMs: 250, maxRetryDelayMs: 8_000, retryAfterMs: 0 }

test('the ceiling doubles with each loss up to the maximum', () => {
  const ceilings = [1, 2, 3, 6, 7, 500].map((attempt) =>
    toRetryDelay({ ...options, attempt, random: () => 1 }),
  )
  expect(ceilings).toEqual([250, 500, 1_000, 8_000, 8_000, 8_000])
})

test('the delay is anywhere below the ceiling, and never below what the server asked for', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat(20_000),
      (attempt, drawn, retryAfterMs) => {
        const delay = toRetryDelay({ ...options, attempt, retryAfterMs, random: () => drawn })
        expect(delay).toBeGreaterThanOrEqual(retryAfterMs)
        expect(delay).toBeLessThanOrEqual(Math.max(8_000, retryAfterMs))
      },
    ),
  )
})
