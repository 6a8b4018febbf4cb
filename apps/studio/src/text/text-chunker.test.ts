import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextChunker } from './text-chunker.ts'
import type { ChunkedText } from './text-chunker.ts'

const anyText = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 3_000 }), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

const joined = ({ blocks, open, tail }: ChunkedText): string =>
  [...blocks.flat(), ...open, tail].join('')

test('the chunks join to the text, however it grew, and blocks never change', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(40_000)), (whole, cuts) => {
      const chunker = createTextChunker()
      let before: ChunkedText['blocks'] = []
      for (const end of [...cuts.toSorted((a, b) => a - b), whole.length]) {
        const pieces = chunker.update(whole.slice(0, end))
        expect(joined(pieces)).toBe(whole.slice(0, end))
        for (const [index, block] of before.entries()) expect(pieces.blocks[index]).toBe(block)
        before = [...pieces.blocks]
      }
    }),
    { numRuns: 50 },
  )
})

test('a block ends with a line break', () => {
  fc.assert(
    fc.property(anyText, (whole) => {
      const { blocks, open } = createTextChunker().update(whole)
      for (const block of blocks) {
        expect(block.at(-1)).toMatch(/\n$/)
        expect(block.slice(0, -1).join('')).not.toContain('\n')
      }
      expect(open.join('')).not.toContain('\n')
    }),
    { numRuns: 50 },
  )
})

test('chunks are short and few', () => {
  fc.assert(
    fc.property(anyText, (whole) => {
      const { blocks, open, tail } = createTextChunker().update(whole)
      const chunks = [...blocks.flat(), ...open]
      for (const piece of [...chunks, tail]) expect(piece.length).toBeLessThanOrEqual(2_000)
      expect(chunks.length).toBeLessThanOrEqual(1 + whole.length / 900)
    }),
    { numRuns: 50 },
  )
})

test('another text starts again', () => {
  const chunker = createTextChunker()
  chunker.update('a'.repeat(10_000))
  expect(joined(chunker.update('b'.repeat(9_000)))).toBe('b'.repeat(9_000))
  expect(joined(chunker.update('b\n'.repeat(9_000)))).toBe('b\n'.repeat(9_000))
  expect(joined(chunker.update(''))).toBe('')
})
