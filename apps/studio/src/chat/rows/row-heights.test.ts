import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRowHeights } from './row-heights.ts'

const change = fc.oneof(
  fc.record({ act: fc.constant('add' as const), height: fc.nat(500) }),
  fc.record({ act: fc.constant('set' as const), height: fc.nat(500), at: fc.nat(99) }),
  fc.record({ act: fc.constant('cut' as const), at: fc.nat(99) }),
)

test('offsets and positions equal those of a plain list after any changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), fc.nat(40_000), (changes, place) => {
      const heights = createRowHeights()
      const plain: number[] = []
      for (const each of changes) {
        if (each.act === 'add') {
          heights.add(each.height)
          plain.push(each.height)
        } else if (each.act === 'cut') {
          heights.truncate(each.at)
          plain.length = Math.min(plain.length, each.at)
        } else if (plain.length > 0) {
          heights.set(each.at % plain.length, each.height)
          plain[each.at % plain.length] = each.height
        }
      }
      const offsets = plain.map((_, index) => plain.slice(0, index).reduce((a, b) => a + b, 0))
      const total = plain.reduce((a, b) => a + b, 0)
      expect(plain.map((_, index) => heights.offsetOf(index))).toEqual(offsets)
      expect(heights.total).toBe(total)
      const found = plain.findIndex((height, index) => place < (offsets[index] ?? 0) + height)
      expect(heights.indexAt(place)).toBe(Math.max(0, found < 0 ? plain.length - 1 : found))
      expect(heights.lastBefore(place)).toBe(
        Math.max(
          0,
          offsets.findLastIndex((offset) => offset < place),
        ),
      )
    }),
  )
})
