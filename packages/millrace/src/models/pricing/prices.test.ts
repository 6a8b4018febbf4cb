import { expect, test } from 'vitest'
import { mergePrices, prices, PRICES_OF } from './prices.ts'

test('has a date and prices', () => {
  expect(PRICES_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(mergePrices(prices)).toEqual(prices)
})

test.each(Object.entries(prices))(
  '%s: cache reads are cheaper than input, cache writes are not',
  (_, price) => {
    expect(price.cacheRead).toBeLessThan(price.input)
    expect(price.cacheWrite).toBeGreaterThanOrEqual(price.input)
    if ('cacheWrite1h' in price) expect(price.cacheWrite1h).toBeGreaterThan(price.cacheWrite)
    expect(price.output).toBeGreaterThan(price.input)
  },
)

test('replaces rows of the table by custom ones and keeps the others', () => {
  const own = { 'claude-opus-5-5': { input: 1, output: 2 }, mill: { input: 0, output: 0 } }
  expect(mergePrices(own)).toEqual({ ...prices, ...own })
})

test.each<[string, unknown, string]>([
  ['a negative price', { input: -1, output: 1 }, 'mill.input is -1'],
  ['a price in words', { input: 1, output: '2' }, 'mill.output is 2'],
  ['no price', { input: 1 }, 'mill.output is undefined'],
  ['NaN', { input: 1, output: 1, cacheRead: Number.NaN }, 'mill.cacheRead is NaN'],
  ['nothing', null, 'mill.input is undefined'],
  [
    'half a rule',
    { input: 1, output: 1, longContext: { input: 2 } },
    'mill.longContext.aboveTokens',
  ],
  ['null for a rule', { input: 1, output: 1, longContext: null }, 'mill.longContext.aboveTokens'],
])('%s is rejected', (_, price, message) => {
  expect(() => mergePrices({ mill: price as never })).toThrow(message)
})
