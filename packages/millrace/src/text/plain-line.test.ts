import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPlainLine } from './hidden-characters.ts'

describe('a plain line', () => {
  test('contains no control characters and is bounded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        const line = toPlainLine(text, max)
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        expect(line.length).toBeLessThanOrEqual(max + 1)
        expect(new TextDecoder().decode(new TextEncoder().encode(line))).toBe(line)
      }),
    )
  })

  test('keeps visible text', () => {
    expect(toPlainLine('Mühle 🌾\n\u001b[31mred', 100)).toBe('Mühle 🌾  [31mred')
    expect(toPlainLine('abcdef', 3)).toBe('abc…')
  })
})
