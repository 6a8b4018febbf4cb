import { expect, test } from 'vitest'
import { createPacedChunker } from './paced-chunker.ts'
import type { PacedText } from './paced-chunker.ts'

const lengthOf = ({ blocks, open, tail }: PacedText): number =>
  [...blocks.flat(), ...open, tail].join('').length

test('a text with line breaks is always shown up to its end', () => {
  const chunker = createPacedChunker()
  for (let count = 1; count <= 3_000; count += 7) {
    const shown = chunker.update('a line of it\n'.repeat(count))
    expect(shown.restMs).toBe(0)
    expect(lengthOf(shown)).toBe(13 * count)
  }
})

test('a longer line pauses longer, and shows new text after the pause', () => {
  const chunker = createPacedChunker()
  let restMs = 0
  for (let length = 5_000; length <= 500_000; length *= 10) {
    const shown = chunker.update('x'.repeat(length))
    expect(shown.restMs).toBeGreaterThan(restMs)
    expect(shown.restMs).toBeLessThanOrEqual(500)
    restMs = shown.restMs
    expect(chunker.update('x'.repeat(length + 1))).toBe(shown)
    chunker.wake()
    expect(lengthOf(chunker.update('x'.repeat(length + 1)))).toBe(length + 1)
    chunker.wake()
  }
})

test('a text that is not an extension is shown at once', () => {
  const chunker = createPacedChunker()
  chunker.update('x'.repeat(300_000))
  expect(lengthOf(chunker.update('x'.repeat(200_000)))).toBe(200_000)
  expect(chunker.update('y'.repeat(200_000)).tail).toMatch(/^y+$/)
})
