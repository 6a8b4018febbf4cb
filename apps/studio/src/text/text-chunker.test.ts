import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextChunker } from './text-chunker.ts'

test('chunks and tail are the whole text, however it grew, and chunks never change', () => {
  const text = fc
    .array(fc.string({ unit: 'grapheme', maxLength: 3_000 }), { maxLength: 12 })
    .map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, fc.array(fc.nat(40_000)), (whole, cuts) => {
      const chunker = createTextChunker()
      let before: readonly string[] = []
      for (const end of [...cuts.toSorted((a, b) => a - b), whole.length]) {
        const { chunks, tail } = chunker.update(whole.slice(0, end))
        expect(chunks.join('') + tail).toBe(whole.slice(0, end))
        expect(chunks.slice(0, before.length)).toEqual(before)
        before = [...chunks]
      }
    }),
    { numRuns: 50 },
  )
})

test('another text starts afresh', () => {
  const chunker = createTextChunker()
  chunker.update('a'.repeat(10_000))
  const { chunks, tail } = chunker.update('b'.repeat(9_000))
  expect(chunks.join('') + tail).toBe('b'.repeat(9_000))
})
