import { expect, test } from 'vitest'
import { toCount, toDollars, toDuration } from './format.ts'

test('durations, numbers and sums are short', () => {
  expect([0, 12.4, 1_234, 12_345, 123_456, 4_000_000].map(toDuration)).toEqual([
    '0 ms',
    '12 ms',
    '1.23 s',
    '12.3 s',
    '2 min 03 s',
    '1 h 06 min',
  ])
  expect([7, 1_234.6].map(toCount)).toEqual(['7', '1,235'])
  expect([0.00123, -0.00123, 1.5].map(toDollars)).toEqual(['$0.0012', '-$0.0012', '$1.50'])
})
