import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noCost } from '../../events/index.ts'
import { roundCost, toWireCost } from './to-wire-cost.ts'

test('[COST-1] has the field names of the wire and six decimal places', () => {
  const cost = {
    ...noCost,
    modelId: 'mill-1',
    input: 1 / 3,
    output: 2 / 3,
    total: 1,
    cacheRead: 1e-7,
  }
  expect(toWireCost({ ...cost, longContext: true })).toEqual({
    input_cost: 0.333333,
    output_cost: 0.666667,
    cache_write_cost: 0,
    cache_read_cost: 0,
    tool_cost: 0,
    total_cost: 1,
    currency: 'USD',
    model_id: 'mill-1',
    long_context_applied: true,
  })
})

test('[COST-2] keeps an unknown cost', () => {
  expect(toWireCost(null)).toBeNull()
})

test('rounds within half a unit and is idempotent', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (amount) => {
      const rounded = roundCost(amount)
      expect(Math.abs(rounded - amount)).toBeLessThanOrEqual(6e-7)
      expect(roundCost(rounded)).toBe(rounded)
    }),
  )
})
