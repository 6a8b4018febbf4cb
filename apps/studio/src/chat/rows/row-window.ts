import { createRowHeights } from './row-heights.ts'
import type { RowHeights } from './row-heights.ts'
import type { Row, RowKind } from './row-plan.ts'

/** The rows to draw: from one position up to another. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

/** From one place of a list to another, in pixels. */
export interface Span {
  readonly top: number
  readonly bottom: number
}

/** Knows how high each row is, or is likely to be, and so which of them are in view. */
export interface RowWindow {
  readonly heights: RowHeights
  /** Takes in rows that were added or taken away at the end. */
  sync(rows: readonly Row[]): void
  /** Notes the true height of a row. */
  measure(index: number, height: number): void
  /** The rows that lie between two places, with some around them. */
  rangeOf(view: Span): RowRange
  /**
   * What to draw to fill the view: what is drawn if that does, or else what is missing, with some around it, beside
   * what is drawn and still near.
   */
  cover(drawn: RowRange, view: Span, aroundPx?: number): RowRange
  /** The position of a row by its key, or -1; near the position where it was last. */
  find(key: string): number
}

/** How high a row is likely to be, in pixels, until it has been drawn. */
const guesses: Readonly<Record<RowKind, number>> = {
  prompt: 76,
  text: 130,
  thinking: 36,
  card: 130,
  message: 64,
  error: 110,
  step: 30,
  end: 34,
}

/** Creates a window on no rows. */
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
        heights.add(known.get(row.key) ?? guesses[row.kind])
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
