import { lineEndAt, readLines } from './line-bytes.ts'

interface Page {
  readonly count: number
  readonly bytes: Uint8Array
}

/** Consecutive lines in a row of the journal, each after its length. */
export interface Extent {
  readonly row: Uint8Array
  readonly start: number
  readonly end: number
  readonly count: number
}

/** A position between two lines: an extent, and an offset in its row. */
interface Place {
  readonly index: number
  readonly offset: number
}

/**
 * Lines of a session in rows of the journal. Their locations are in arrays, because an object for each line would burden the garbage
 * collector until the journal is folded.
 */
export class Extents {
  readonly #rows: Uint8Array[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Number of lines up to the end of each extent, including dropped ones. */
  readonly #totals: number[] = []
  #forgotten = 0

  get lines(): number {
    return this.#totalOf(this.#rows.length - 1) - this.#forgotten
  }

  /** Adds the lines that follow the present ones. */
  add({ row, start, end, count }: Extent): void {
    // An empty extent would keep a whole row in memory.
    if (count === 0) return
    this.#totals.push(this.#totalOf(this.#rows.length - 1) + count)
    this.#rows.push(row)
    this.#starts.push(start)
    this.#ends.push(end)
  }

  /** Returns a copy that can grow independently. */
  copy(): Extents {
    const copy = new Extents()
    for (const [index, row] of this.#rows.entries()) {
      const count = this.#totalOf(index) - this.#totalOf(index - 1)
      copy.add({ row, start: this.#startOf(index), end: this.#endOf(index), count })
    }
    return copy
  }

  /** Drops the first lines, which must fill whole extents. */
  dropFirst(count: number): void {
    const extents = this.#indexAfter(count)
    for (const column of [this.#rows, this.#starts, this.#ends, this.#totals]) {
      column.splice(0, extents)
    }
    this.#forgotten += count
  }

  /** Reads up to `limit` lines after the first `skipped` ones, without copying their bytes. */
  read(skipped: number, limit: number): readonly Uint8Array[] {
    const found: Uint8Array[] = []
    let { index, offset } = this.#placeAfter(skipped)
    while (index < this.#rows.length && found.length < limit) {
      const left = this.#totalOf(index) - this.#forgotten - skipped - found.length
      const count = Math.min(left, limit - found.length)
      for (const line of readLines(this.#rowOf(index), offset, count).lines) found.push(line)
      index += 1
      offset = this.#startOf(index)
    }
    return found
  }

  /** Iterates over pages of all lines after the first `skipped` ones. Pages and the journal encode lines alike. */
  *pages(
    skipped: number,
    { maxLines, maxBytes }: { readonly maxLines: number; readonly maxBytes: number },
  ): Generator<Page> {
    let from = this.#placeAfter(skipped)
    let { offset } = from
    let count = 0
    let bytes = 0
    for (let { index } = from; index < this.#rows.length; offset = this.#startOf(++index)) {
      const row = this.#rowOf(index)
      const end = this.#endOf(index)
      while (offset < end) {
        const start = offset
        offset = lineEndAt(row, start)
        count += 1
        bytes += offset - start
        if (count < maxLines && bytes < maxBytes) continue
        yield { count, bytes: this.#copyBytes(from, { index, offset }, bytes) }
        from = { index, offset }
        count = 0
        bytes = 0
      }
    }
    const last = this.#rows.length - 1
    const to = { index: last, offset: this.#endOf(last) }
    if (count > 0) yield { count, bytes: this.#copyBytes(from, to, bytes) }
  }

  /** Copies the bytes between two positions. */
  #copyBytes(from: Place, to: Place, length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    let at = 0
    for (let index = from.index; index <= to.index; index++) {
      const start = index === from.index ? from.offset : this.#startOf(index)
      const end = index === to.index ? to.offset : this.#endOf(index)
      bytes.set(this.#rowOf(index).subarray(start, end), at)
      at += end - start
    }
    return bytes
  }

  /** Finds the position after the first `skipped` lines. */
  #placeAfter(skipped: number): Place {
    const index = this.#indexAfter(skipped)
    let offset = this.#startOf(index)
    const row = this.#rows[index]
    if (row === undefined) return { index, offset }
    const inside = skipped + this.#forgotten - this.#totalOf(index - 1)
    for (let line = 0; line < inside; line++) offset = lineEndAt(row, offset)
    return { index, offset }
  }

  /** Finds the extent of the line after the first `skipped` ones; the number of extents if there is none. */
  #indexAfter(skipped: number): number {
    let low = 0
    let high = this.#totals.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#totalOf(middle) > this.#forgotten + skipped) high = middle
      else low = middle + 1
    }
    return low
  }

  #rowOf(index: number): Uint8Array {
    return this.#rows[index] as Uint8Array
  }

  #startOf(index: number): number {
    return this.#starts[index] ?? 0
  }

  #endOf(index: number): number {
    return this.#ends[index] ?? 0
  }

  #totalOf(index: number): number {
    return this.#totals[index] ?? this.#forgotten
  }
}
