import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineReader } from './line-reader.ts'

test('lines are complete for any byte split, and U+2028 ends none', () => {
  const lines = ['{"a":"é😀"}', '{"b":"x\u2028y"}', 'last']
  const bytes = new TextEncoder().encode(lines.join('\n\n'))
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const found: string[] = []
      const reader = createLineReader((line) => found.push(line))
      const ends = [...cuts.toSorted((left, right) => left - right), bytes.length]
      let start = 0
      for (const end of ends) {
        reader.feed(bytes.subarray(start, end))
        start = end
      }
      reader.finish()
      expect(found).toEqual(lines)
    }),
  )
})

test('a line over the limit is rejected', () => {
  const reader = createLineReader(() => {}, { maxLineChars: 10 })
  expect(() => reader.feed(new TextEncoder().encode('x'.repeat(11)))).toThrow(/longer than 10/)
})
