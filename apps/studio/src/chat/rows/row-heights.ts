/** Heights of a list of rows; changes and lookups take logarithmic time. */
export interface RowHeights {
  readonly length: number
  /** Height of all rows. */
  readonly total: number
  add(height: number): void
  /** Removes all rows from `length` on. */
  truncate(length: number): void
  set(index: number, height: number): void
  get(index: number): number
  /** Returns the offset of a row. */
  offsetOf(index: number): number
  /** Returns the row at an offset; the first or the last one outside of the list. */
  indexAt(offset: number): number
  /** Returns the last row that begins before an offset; the first one if none does. */
  lastBefore(offset: number): number
}

/** Creates an empty list of heights. */
export function createRowHeights(): RowHeights {
  const heights: number[] = []
  /** A binary indexed tree: slot `n` holds the sum of the rows up to the n-th, as many as the lowest bit of `n`. */
  const sums: number[] = [0]

  function sumTo(count: number): number {
    let sum = 0
    for (let slot = count; slot > 0; slot -= slot & -slot) sum += sums[slot] ?? 0
    return sum
  }

  /** Returns the last row whose offset `isAbove` accepts; the predicate is monotonic. */
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
