import { expect, test } from 'vitest'
import { toCount, toDollars, toDuration, toSize } from './format.ts'

test('durations, numbers and amounts are short', () => {
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

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [2_048, '2.0 kB'],
  [9_960, '10 kB'],
  [12_345, '12 kB'],
  [999_700, '1.0 MB'],
  [3_456_789, '3.5 MB'],
  [64 * 1_024 * 1_024, '67 MB'],
  [5e13, '50000 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(toSize(bytes)).toBe(text)
})
