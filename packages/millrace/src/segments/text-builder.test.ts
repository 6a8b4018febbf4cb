import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBuilder } from './text-builder.ts'

test('returns the added text, in order, at any time', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 3000, size: 'max' }), fc.nat(), (pieces, at) => {
      const text = new TextBuilder()
      pieces.slice(0, at).forEach((piece) => text.add(piece))
      expect(text.toString()).toBe(pieces.slice(0, at).join(''))
      pieces.slice(at).forEach((piece) => text.add(piece))
      expect(text.toString()).toBe(pieces.join(''))
    }),
    { numRuns: 20 },
  )
})
