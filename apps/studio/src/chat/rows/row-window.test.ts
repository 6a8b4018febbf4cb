import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Row } from './row-plan.ts'
import { createRowWindow } from './row-window.ts'

const since = { block: 0, run: 0, step: 0 }
const rowsOf = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, at) => {
    const key = `block-${at}`
    return { key, kind: 'card', above: undefined, at, to: at + 1, endKey: at, since } as const
  })

const heights = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 60 })
const place = fc.integer({ min: -3_000, max: 30_000 })

test('rows cover a view exactly if each row in view is among them', () => {
  fc.assert(
    fc.property(heights, place, place, fc.nat(2_000), (all, top, drawnTop, length) => {
      const rowWindow = createRowWindow({ overscanPx: 100 })
      rowWindow.sync(rowsOf(all.length))
      for (const [index, height] of all.entries()) rowWindow.measure(index, height)
      const drawn = rowWindow.rangeOf(drawnTop, drawnTop + length)
      const bottom = top + length
      const missing = all.some((height, index) => {
        const offset = rowWindow.book.offsetOf(index)
        const isInView = offset < bottom && offset + height > top
        return isInView && (index < drawn.from || index >= drawn.to)
      })
      const isBeside = bottom <= 0 || top >= rowWindow.book.total
      if (!isBeside) expect(rowWindow.covers(drawn, top, bottom)).toBe(!missing)
      expect(rowWindow.covers(rowWindow.rangeOf(top, bottom), top, bottom)).toBe(true)
    }),
  )
})
