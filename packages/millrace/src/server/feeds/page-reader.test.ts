import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frameLines } from '../../sse/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { createPageReader } from './page-reader.ts'

test('pages are contiguous and within the byte limit', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.integer({ min: 1_900, max: 2_048 })), {
    size: 'large',
    maxLength: 400,
  })
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 9_000 }), async (lengths, maxBytes) => {
      const store = createMemoryStore()
      await store.open('s')
      const lines = lengths.map((length) => new Uint8Array(length))
      await store.append({ session: 's', epoch: 1, tail: 0, lines })
      const readPage = createPageReader({ store, session: 's', maxBytes })
      let after = 0
      for (;;) {
        const { entries, isLast } = await readPage(after, Infinity)
        expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => after + 1 + index))
        const bytes = frameLines(entries)
        if (entries.length > 1) expect(bytes.length).toBeLessThanOrEqual(maxBytes)
        after += entries.length
        if (isLast) break
        expect(entries.length).toBeGreaterThan(0)
      }
      expect(after).toBe(lines.length)
    }),
    { numRuns: 50 },
  )
})

test('a page ends at the given id', async () => {
  const store = createMemoryStore()
  await store.open('s')
  const lines = Array.from({ length: 10 }, () => new Uint8Array(1))
  await store.append({ session: 's', epoch: 1, tail: 0, lines })
  const readPage = createPageReader({ store, session: 's' })
  expect((await readPage(3, 7)).entries.map(({ id }) => id)).toEqual([4, 5, 6, 7])
  expect(await readPage(7, 7)).toEqual({ entries: [], isLast: false })
})
