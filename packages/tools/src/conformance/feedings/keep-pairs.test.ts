import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepPairs } from './text-feedings.ts'

const whole = /^(?:[^\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$/

test('[ADAPT-2] chunks of code points join to the same text, and no pair is split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat()), (text, cuts) => {
      const places = cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b)
      const pieces = [0, ...places].map((from, at) => text.slice(from, places[at]))
      const kept = [...keepPairs(pieces)]
      expect(kept.join('')).toBe(text)
      expect(kept.every((piece) => whole.test(piece))).toBe(true)
    }),
  )
})

test('a lone surrogate is unchanged', () => {
  expect([...keepPairs(['a\ud83d', 'b', '\ud83d'])]).toEqual(['a', '\ud83db', '\ud83d'])
})
