import { lineEndAt, readLines } from './line-bytes.ts'

/** How large a page of messages may be; it has at least one. */
export interface PageLimits {
  readonly maxLines: number
  readonly maxBytes: number
}

/** The bytes of a page, and how many messages are in it. */
export interface Page {
  readonly count: number
  readonly bytes: Uint8Array
}

/** Lines that follow one another in a row of the journal, each with its length before it. */
export interface Extent {
  readonly row: Uint8Array
  readonly start: number
  readonly end: number
  readonly count: number
}

/** A place between two lines: an extent, and an offset in its row. */
interface Place {
  readonly index: number
  readonly offset: number
}

/**
 * The lines of one session where they lie in rows of the journal. An object for each line would keep the garbage
 * collector busy until the journal is folded.
 */
export class Extents {
  readonly #rows: Uint8Array[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  readonly #counts: number[] = []
  #lines = 0

  /** How many lines there are. */
  get lines(): number {
    return this.#lines
  }

  /** Adds lines that follow those that are here. */
  add({ row, start, end, count }: Extent): void {
    this.#rows.push(row)
    this.#starts.push(start)
    this.#ends.push(end)
    this.#counts.push(count)
    this.#lines += count
  }

  /** The same lines, to which others can be added. */
  copy(): Extents {
    const copy = new Extents()
    this.#rows.forEach((row, index) => {
      copy.add({
        row,
        start: this.#startOf(index),
        end: this.#endOf(index),
        count: this.#countOf(index),
      })
    })
    return copy
  }

  /** Forgets the first lines, which are those of whole extents. */
  dropFirst(count: number): void {
    let extents = 0
    for (let lines = 0; lines < count;) lines += this.#countOf(extents++)
    for (const column of [this.#rows, this.#starts, this.#ends, this.#counts]) {
      column.splice(0, extents)
    }
    this.#lines -= count
  }

  /** Up to so many lines, without the first ones; they share the memory of the journal. */
  read(skipped: number, limit: number): readonly Uint8Array[] {
    const found: Uint8Array[] = []
    let before = 0
    for (const [index, row] of this.#rows.entries()) {
      if (found.length >= limit) break
      const count = this.#countOf(index)
      const from = Math.max(0, skipped - before)
      before += count
      if (from >= count) continue
      const { lines } = readLines(row, this.#startOf(index), count)
      for (const line of lines.slice(from, from + limit - found.length)) found.push(line)
    }
    return found
  }

  /** Pages of all lines but the first ones; lines lie in a page as they do in the journal. */
  *pages(skipped: number, { maxLines, maxBytes }: PageLimits): Generator<Page> {
    let from: Place = { index: 0, offset: this.#startOf(0) }
    let toSkip = skipped
    let count = 0
    let bytes = 0
    for (const [index, row] of this.#rows.entries()) {
      const end = this.#endOf(index)
      for (let offset = this.#startOf(index); offset < end;) {
        const start = offset
        offset = lineEndAt(row, start)
        if (toSkip > 0) {
          toSkip -= 1
          from = { index, offset }
          continue
        }
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

  /** The bytes of all lines between two places, which are so many. */
  #copyBytes(from: Place, to: Place, length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    let at = 0
    for (let index = from.index; index <= to.index; index++) {
      const start = index === from.index ? from.offset : this.#startOf(index)
      const end = index === to.index ? to.offset : this.#endOf(index)
      bytes.set((this.#rows[index] as Uint8Array).subarray(start, end), at)
      at += end - start
    }
    return bytes
  }

  #startOf(index: number): number {
    return this.#starts[index] ?? 0
  }

  #endOf(index: number): number {
    return this.#ends[index] ?? 0
  }

  #countOf(index: number): number {
    return this.#counts[index] ?? 0
  }
}
