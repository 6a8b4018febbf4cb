import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toRetryDelay } from './ask.ts'

test('the ceiling doubles with each connection failure up to the maximum', () => {
  const ceilings = [0, 1, 2, 5, 6, 2_000].map((attempt) =>
    toRetryDelay(attempt, { random: () => 1 }),
  )
  expect(ceilings).toEqual([250, 500, 1_000, 8_000, 8_000, 8_000])
})

test('the delay is anywhere below the ceiling', () => {
  const drawn = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.nat(2_000), drawn, (attempt, part) => {
      const delay = toRetryDelay(attempt, { maxRetryDelayMs: 400, random: () => part })
      expect(delay).toBeCloseTo(part * (attempt === 0 ? 250 : 400))
    }),
  )
})
