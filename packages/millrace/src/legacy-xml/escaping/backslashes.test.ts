import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replaceEvery, incompleteMatch } from './backslashes.ts'

test('replaces a long text like a whole one, wherever its windows end', () => {
  const unit = fc.string({ unit: fc.constantFrom('\\', 'n', ']', '>', 'a'), minLength: 1 })
  fc.assert(
    fc.property(unit, fc.nat({ max: 20 }), (text, offset) => {
      const long = 'x'.repeat(offset) + text.repeat(Math.ceil(20_000 / text.length))
      const incomplete = incompleteMatch(/(?:\]{1,2}|\\)$/)
      const replace = (match: string) => `(${match})`
      const pattern = /\]\]>|\\n/g
      expect(replaceEvery(long, pattern, replace, incomplete)).toBe(long.replace(pattern, replace))
    }),
  )
})
