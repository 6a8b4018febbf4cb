import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkings, cutText, isChunkingKind } from './chunking.ts'

const kinds = Object.keys(chunkings).filter(isChunkingKind)
const anyChunking = fc.record({ kind: fc.constantFrom(...kinds), number: fc.integer() })
const anyText = fc.string({ unit: 'grapheme', maxLength: 200 })

function toChunks(text: string, ends: readonly number[]): readonly string[] {
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

test('chunks are not empty, split no character, and join to the text', () => {
  fc.assert(
    fc.property(anyText, anyChunking, (text, chunking) => {
      const chunks = toChunks(text, cutText(text, chunking))
      expect(chunks.join('')).toBe(text)
      for (const chunk of chunks)
        expect(chunk).toMatch(/^[^\udc00-\udfff].*[^\ud800-\udbff]$|^.$/su)
    }),
  )
})

test('a seed always gives the same chunks, and another seed others', () => {
  const text = 'Words, <markers> and a_long_identifier '.repeat(5)
  const cut = (number: number) => cutText(text, { kind: 'tokens', number })
  expect(cut(7)).toEqual(cut(7))
  expect(cut(7)).not.toEqual(cut(8))
})

test('lines keep their ends', () => {
  expect(toChunks('a\n\nb', cutText('a\n\nb', { kind: 'lines', number: 0 }))).toEqual([
    'a\n',
    '\n',
    'b',
  ])
})
