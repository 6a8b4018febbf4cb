import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addCost, type Cost, noCost, roundCost, toWireCost } from './cost.ts'

const amount = fc.integer({ min: 0, max: 1_000_000 })
const anyCost: fc.Arbitrary<Cost> = fc.record({
  currency: fc.constant('USD' as const),
  modelId: fc.constantFrom('oak', 'elm', 'ash'),
  input: amount,
  output: amount,
  cacheRead: amount,
  cacheWrite: amount,
  tools: amount,
  total: amount,
  longContext: fc.boolean(),
})

test('adds costs in any grouping, starting with zero', () => {
  fc.assert(
    fc.property(anyCost, anyCost, anyCost, (one, two, three) => {
      expect(addCost(noCost, one)).toEqual(one)
      expect(addCost(one, noCost)).toEqual(one)
      expect(addCost(addCost(one, two), three)).toEqual(addCost(one, addCost(two, three)))
    }),
  )
})

test('[COST-2] is unknown after an unpriced part', () => {
  fc.assert(
    fc.property(anyCost, (cost) => {
      expect(addCost(cost, null)).toBeNull()
      expect(addCost(null, cost)).toBeNull()
    }),
  )
  expect(addCost(null, noCost)).toBeNull()
})

test('names each model once, in order', () => {
  const of = (modelId: string): Cost => ({ ...noCost, modelId })
  const total = ['oak', 'elm', 'oak', 'ash', 'elm'].map(of).reduce<Cost | null>(addCost, noCost)
  expect(total?.modelId).toBe('oak, elm, ash')
})

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
