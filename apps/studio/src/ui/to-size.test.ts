import { expect, test } from 'vitest'
import { toSize } from './to-size.ts'

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
