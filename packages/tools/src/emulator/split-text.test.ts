import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from './random.ts'
import { splitJson, splitText } from './script/plan-block.ts'

const unicode = fc.string({ unit: 'binary' })

test('the chunks join to the text, and only the first of JSON is empty', () => {
  fc.assert(
    fc.property(unicode, fc.string(), (text, seed) => {
      const words = splitText(text, createRandom(seed))
      const json = splitJson(text, createRandom(seed))
      expect(words.join('')).toBe(text)
      expect(json.join('')).toBe(text)
      expect(words).not.toContain('')
      expect(json.indexOf('', 1)).toBe(-1)
    }),
  )
})

test('never splits a surrogate pair', () => {
  const waves = '🌊'.repeat(100)
  for (const split of [splitText, splitJson]) {
    for (const piece of split(waves, createRandom('x')))
      expect(() => encodeURIComponent(piece)).not.toThrow()
  }
})
