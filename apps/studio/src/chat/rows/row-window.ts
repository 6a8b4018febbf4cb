import { createRowHeights } from './row-heights.ts'
import type { RowHeights } from './row-heights.ts'
import type { Row, RowKind } from './row-plan.ts'

/** Range of rows to draw. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

/** A span of a list in pixels. */
export interface Span {
  readonly top: number
  readonly bottom: number
}

/** Known and estimated heights of rows, and the rows in view. */
export interface RowWindow {
  readonly heights: RowHeights
  /** Updates the rows that were added or removed at the end. */
  sync(rows: readonly Row[]): void
  /** Stores the measured height of a row. */
  measure(index: number, height: number): void
  /** Returns the rows in a span with a margin. */
  rangeOf(view: Span): RowRange
  /**
   * Returns the range to draw so that it fills the view: the drawn range if it does, otherwise the missing rows with a
   * margin and the drawn rows that are near.
   */
  cover(drawn: RowRange, view: Span, aroundPx?: number): RowRange
  /** Returns the position of a row by its key, or -1. */
  find(key: string): number
}

/** Estimated heights in pixels of rows that were not drawn yet. */
const estimatedHeights: Readonly<Record<RowKind, number>> = {
  prompt: 76,
  text: 130,
  thinking: 36,
  card: 130,
  message: 64,
  error: 110,
  step: 30,
  end: 34,
}

/** Creates a window without rows. */
export function createRowWindow({ overscanPx = 600 } = {}): RowWindow {
  const heights = createRowHeights()
  const keys: string[] = []
  const places = new Map<string, number>()
  const known = new Map<string, number>()

  function cut(length: number): void {
    for (const key of keys.splice(length)) places.delete(key)
    heights.truncate(length)
  }

  function rangeOf({ top, bottom }: Span, aroundPx = overscanPx): RowRange {
    const from = heights.indexAt(Math.max(0, top - aroundPx))
    const last = Math.max(from, heights.lastBefore(bottom + aroundPx))
    return { from, to: Math.min(heights.length, last + 1) }
  }

  return {
    heights,
    sync(rows) {
      let same = Math.min(keys.length, rows.length)
      while (same > 0 && keys[same - 1] !== rows[same - 1]?.key) same--
      cut(same)
      for (let index = same; index < rows.length; index++) {
        const row = rows[index]
        if (!row) break
        places.set(row.key, keys.push(row.key) - 1)
        heights.add(known.get(row.key) ?? estimatedHeights[row.kind])
      }
    },
    measure(index, height) {
      if (Math.abs(height - heights.get(index)) < 0.5) return
      known.set(keys[index] ?? '', height)
      heights.set(index, height)
    },
    rangeOf: (view) => rangeOf(view),
    cover(drawn, view, aroundPx = 0) {
      const seen = rangeOf(view, 0)
      const isBeside = view.bottom <= 0 || view.top >= heights.total
      if (isBeside || (seen.from >= drawn.from && seen.to <= drawn.to)) return drawn
      const wanted = rangeOf(view, aroundPx)
      if (seen.to <= drawn.from || seen.from >= drawn.to) return wanted
      const near = rangeOf(view)
      const from = Math.min(wanted.from, Math.max(drawn.from, near.from))
      return { from, to: Math.max(wanted.to, Math.min(drawn.to, near.to)) }
    },
    find: (key) => places.get(key) ?? -1,
  }
}
