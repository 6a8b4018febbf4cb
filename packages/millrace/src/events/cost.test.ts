import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addCost, type Cost, noCost } from './cost.ts'

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
