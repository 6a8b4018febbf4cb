import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Extents } from './extents.ts'
import { encodeJournal } from './journal-bytes.ts'
import { decodePage } from './line-bytes.ts'

const anyLines = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 6 })
/** Lines that commits add to a session, each beside lines of another session. */
const anyCommits = fc.array(fc.record({ lines: anyLines, others: anyLines }), { maxLength: 12 })

function fill(
  commits: readonly { lines: Uint8Array[]; others: Uint8Array[] }[],
  extents = new Extents(),
) {
  for (const { lines, others } of commits) {
    const entries = [others, lines].map((given, session) => ({ session, first: 1, lines: given }))
    encodeJournal(entries, (index, extent) => {
      if (index === 1) extents.add(extent)
    })
  }
  return { extents, all: commits.flatMap(({ lines }) => lines.map(String)) }
}

test('any range of lines can be read, wherever they are stored', () => {
  fc.assert(
    fc.property(anyCommits, fc.nat(40), fc.nat(40), (commits, skipped, limit) => {
      const { extents, all } = fill(commits)
      expect(extents.lines).toBe(all.length)
      expect(extents.read(skipped, limit).map(String)).toEqual(all.slice(skipped, skipped + limit))
    }),
  )
})

test('pages contain all lines once and in order, and end as soon as they are large enough', () => {
  const limits = fc.record({
    maxLines: fc.integer({ min: 1, max: 9 }),
    maxBytes: fc.integer({ min: 1, max: 90 }),
  })
  fc.assert(
    fc.property(anyCommits, fc.nat(20), limits, (commits, skipped, given) => {
      const { extents, all } = fill(commits)
      const pages = [...extents.pages(skipped, given)]
      const found = pages.map(({ bytes }) => decodePage(bytes).map(String))
      expect(found.flat()).toEqual(all.slice(skipped))
      expect(pages.map(({ count }) => count)).toEqual(found.map(({ length }) => length))
      for (const [index, { count, bytes }] of pages.entries()) {
        expect(count).toBeLessThanOrEqual(given.maxLines)
        const isFull = count === given.maxLines || bytes.length >= given.maxBytes
        expect(isFull || index === pages.length - 1).toBe(true)
      }
    }),
  )
})

test('lines of complete commits can be dropped if a copy still has them', () => {
  fc.assert(
    fc.property(
      anyCommits,
      fc.nat(12),
      anyCommits,
      fc.nat(40),
      (commits, dropped, more, skipped) => {
        const { extents, all } = fill(commits)
        const left = fill(commits.slice(dropped)).all
        const copy = extents.copy()
        extents.dropFirst(all.length - left.length)
        expect(extents.lines).toBe(left.length)
        const kept = [...left, ...fill(more, extents).all]
        for (const held of [extents, extents.copy()]) {
          expect(held.lines).toBe(kept.length)
          expect(held.read(skipped, 7).map(String)).toEqual(kept.slice(skipped, skipped + 7))
          const pages = [...held.pages(skipped, { maxLines: 3, maxBytes: 50 })]
          const paged = pages.flatMap(({ bytes }) => decodePage(bytes).map(String))
          expect(paged).toEqual(kept.slice(skipped))
        }
        expect(copy.read(0, Infinity).map(String)).toEqual(all)
      },
    ),
  )
})
