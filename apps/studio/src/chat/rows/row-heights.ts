/** The heights of rows below each other: any one is changed, and any place found, in logarithmic time. */
export interface RowHeights {
  readonly length: number
  /** The height of all rows. */
  readonly total: number
  add(height: number): void
  /** Forgets all rows from `length` on. */
  truncate(length: number): void
  set(index: number, height: number): void
  get(index: number): number
  /** Where a row begins. */
  offsetOf(index: number): number
  /** The row at a place; the first or the last one beyond them. */
  indexAt(offset: number): number
  /** The last row that begins before a place; the first one if none does. */
  lastBefore(offset: number): number
}

/** Creates a book without rows. */
export function createRowHeights(): RowHeights {
  const heights: number[] = []
  /** A binary indexed tree: the slot `n` holds the sum of as many rows up to the n-th as the lowest bit of `n` says. */
  const sums: number[] = [0]

  function sumTo(count: number): number {
    let sum = 0
    for (let slot = count; slot > 0; slot -= slot & -slot) sum += sums[slot] ?? 0
    return sum
  }

  /** The last row whose offset `isAbove` accepts; it accepts a smaller offset whenever it accepts a larger one. */
  function descend(isAbove: (offset: number) => boolean): number {
    const { length } = heights
    let index = 0
    let offset = 0
    for (let step = 2 ** Math.floor(Math.log2(length || 1)); step >= 1; step /= 2) {
      const sum = sums[index + step]
      if (sum === undefined || !isAbove(offset + sum)) continue
      index += step
      offset += sum
    }
    return Math.max(0, Math.min(index, length - 1))
  }

  return {
    get length() {
      return heights.length
    },
    get total() {
      return sumTo(heights.length)
    },
    add(height) {
      const slot = heights.push(height)
      let sum = height
      for (let part = 1; part < (slot & -slot); part *= 2) sum += sums[slot - part] ?? 0
      sums[slot] = sum
    },
    truncate(length) {
      heights.length = Math.min(heights.length, length)
      sums.length = heights.length + 1
    },
    set(index, height) {
      const change = height - (heights[index] ?? 0)
      heights[index] = height
      for (let slot = index + 1; slot < sums.length; slot += slot & -slot) {
        sums[slot] = (sums[slot] ?? 0) + change
      }
    },
    get: (index) => heights[index] ?? 0,
    offsetOf: (index) => sumTo(Math.min(index, heights.length)),
    indexAt: (offset) => descend((sum) => sum <= offset),
    lastBefore: (offset) => descend((sum) => sum < offset),
  }
}
