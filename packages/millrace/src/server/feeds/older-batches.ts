import { Batch, type BatchPlace, noEnds } from './batch.ts'

const noBlock = new Uint8Array(0)
/** Dropped batches are cleared away so many at a time, because each time all the others move. */
const maxDropped = 64

/** Batches before the latest: few are ever asked for, and as objects they would keep the garbage collector busy. */
export class OlderBatches {
  readonly #maxBytes: number
  readonly #afters: number[] = []
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  readonly #blocks: Uint8Array[] = []
  readonly #ends: (readonly number[])[] = []
  /** How many at the beginning are dropped already. */
  #dropped = 0
  #lastId = 0
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push({ after, lastId, block, start, length, ends }: BatchPlace): void {
    this.#afters.push(after)
    this.#starts.push(start)
    this.#lengths.push(length)
    this.#blocks.push(block)
    this.#ends.push(ends)
    this.#lastId = lastId
    this.#bytes += length
  }

  /** Drops the oldest until there is room for so many bytes more. */
  makeRoom(bytes: number): void {
    while (this.#dropped < this.#lengths.length && this.#bytes + bytes > this.#maxBytes) {
      this.#bytes -= this.#lengths[this.#dropped] ?? 0
      this.#blocks[this.#dropped] = noBlock
      this.#dropped += 1
    }
    if (this.#dropped >= maxDropped) this.#clearAway()
  }

  /** The batch with the message after an id, if it is still here. */
  find(after: number): Batch | undefined {
    const afters = this.#afters
    let low = this.#dropped
    let high = afters.length - 1
    if (after < (afters[low] ?? Infinity)) return undefined
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((afters[middle] ?? Infinity) <= after) low = middle
      else high = middle - 1
    }
    return new Batch({
      after: afters[low] ?? 0,
      lastId: afters[low + 1] ?? this.#lastId,
      block: this.#blocks[low] ?? noBlock,
      start: this.#starts[low] ?? 0,
      length: this.#lengths[low] ?? 0,
      ends: this.#ends[low] ?? noEnds,
    })
  }

  clear(): void {
    this.makeRoom(Infinity)
    this.#clearAway()
  }

  #clearAway(): void {
    const columns = [this.#afters, this.#starts, this.#lengths, this.#blocks, this.#ends]
    for (const column of columns) column.splice(0, this.#dropped)
    this.#dropped = 0
  }
}
