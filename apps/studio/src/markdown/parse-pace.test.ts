import { expect, test } from 'vitest'
import { createParsePace } from './parse-pace.ts'

test('a short text is parsed at every step', () => {
  const pace = createParsePace()
  expect([10, 20, 4_000].map((length) => pace.next(length))).toEqual([10, 20, 4_000])
})

test('parsing a long text costs a small multiple of its length in total', () => {
  const pace = createParsePace()
  const length = 1_000_000
  let cost = 0
  let last = 0
  const wrong: object[] = []
  for (let grown = 5_000; grown <= length; grown += 4) {
    const read = pace.next(grown)
    // One assertion for all; half a million would take seconds.
    if (read > grown || read * 1.2 < grown - 4) wrong.push({ grown, read })
    if (read !== last) cost += read
    last = read
  }
  expect(wrong).toEqual([])
  expect(cost).toBeLessThan(length * 7)
})
