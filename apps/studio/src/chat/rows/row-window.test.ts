import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Row } from './row-plan.ts'
import { createRowWindow } from './row-window.ts'
import type { RowRange, Span } from './row-window.ts'

const OVERSCAN_PX = 100
const since = { block: 0, run: 0, step: 0 }
const rowsOf = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, at) => {
    const key = `block-${at}`
    return { key, kind: 'card', above: undefined, at, to: at + 1, endKey: at, since } as const
  })

function windowOf(heights: readonly number[]) {
  const rowWindow = createRowWindow({ overscanPx: OVERSCAN_PX })
  rowWindow.sync(rowsOf(heights.length))
  for (const [index, height] of heights.entries()) rowWindow.measure(index, height)
  return rowWindow
}

/** Lists the rows that overlap a span; rows without a height do not. */
function listBetween(heights: readonly number[], top: number, bottom: number): number[] {
  let offset = 0
  return heights.flatMap((height, index) => {
    const isPresent = height > 0 && offset < bottom && offset + height > top
    offset += height
    return isPresent ? [index] : []
  })
}

const spanOf = (top: number, length: number): Span => ({ top, bottom: top + length })
const has = ({ from, to }: RowRange, index: number): boolean => index >= from && index < to
const lengthOf = ({ from, to }: RowRange): number => to - from

const heights = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 })
const place = fc.integer({ min: -3_000, max: 30_000 })
const viewLength = fc.integer({ min: 1, max: 2_000 })

test('the covering range contains each row in view, and is unchanged if it did before', () => {
  fc.assert(
    fc.property(heights, place, place, viewLength, (all, top, drawnTop, length) => {
      const rowWindow = windowOf(all)
      const drawn = rowWindow.rangeOf(spanOf(drawnTop, length))
      const seen = listBetween(all, top, top + length)
      const cover = rowWindow.cover(drawn, spanOf(top, length))
      expect(seen.filter((index) => !has(cover, index))).toEqual([])
      if (seen.length > 0 && seen.every((index) => has(drawn, index))) expect(cover).toBe(drawn)
      expect(rowWindow.cover(cover, spanOf(top, length))).toBe(cover)
    }),
  )
})

test('a row that begins where a view ends is not in view', () => {
  const rowWindow = windowOf([1, 0, 5])
  const drawn = { from: 0, to: 1 }
  expect(rowWindow.cover(drawn, spanOf(0, 1))).toBe(drawn)
})

test('a new covering range has only rows that were drawn or are in view', () => {
  fc.assert(
    fc.property(heights, place, place, viewLength, (all, top, drawnTop, length) => {
      const rowWindow = windowOf(all)
      const drawn = rowWindow.rangeOf(spanOf(drawnTop, length))
      const cover = rowWindow.cover(drawn, spanOf(top, length))
      if (cover === drawn) return
      const near = rowWindow.rangeOf(spanOf(top, length))
      const seen = rowWindow.cover({ from: 0, to: 0 }, spanOf(top, length))
      for (let index = 0; index < all.length; index++) {
        const isKept = has(drawn, index) && has(near, index)
        if (has(cover, index)) expect(isKept || has(seen, index)).toBe(true)
      }
      expect(lengthOf(cover)).toBeGreaterThan(0)
    }),
  )
})

test('a wider margin contains the rows of a narrower one', () => {
  fc.assert(
    fc.property(
      heights,
      place,
      place,
      viewLength,
      fc.nat(600),
      (all, top, drawnTop, length, px) => {
        const rowWindow = windowOf(all)
        const drawn = rowWindow.rangeOf(spanOf(drawnTop, length))
        const thin = rowWindow.cover(drawn, spanOf(top, length))
        const wide = rowWindow.cover(drawn, spanOf(top, length), px)
        expect(wide.from).toBeLessThanOrEqual(thin.from)
        expect(wide.to).toBeGreaterThanOrEqual(thin.to)
        if (thin === drawn) expect(wide).toBe(drawn)
      },
    ),
  )
})
