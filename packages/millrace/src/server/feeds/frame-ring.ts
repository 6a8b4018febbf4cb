import { BytePool } from '../reading/byte-pool.ts'
import { Batch, type BatchLayout, noEnds, type SharedFrames, writeBatch } from './batch.ts'

/** The most recent frames of a log, encoded once for all readers, with a bound in bytes. */
export interface FrameRing {
  /** The id of the last frame pushed. */
  readonly tail: () => number
  /** Appends the frames after the tail, at least one. */
  push(lines: readonly Uint8Array[]): void
  /** Returns frames after one id up to another; undefined if there are none, or they were dropped. */
  readonly take: (after: number, upTo: number) => SharedFrames | undefined
  /** Drops all frames. */
  clear(): void
}

/** Creates a ring that starts after an id. It holds `maxBytes`, or the last batch if that is larger. */
export function createFrameRing(start: number, maxBytes: number): FrameRing {
  const older = new OlderBatches(maxBytes)
  let latest: Batch | undefined
  let tail = start
  let pool = new BytePool()

  return {
    tail: () => tail,

    push: (lines) => {
      if (latest !== undefined) older.push(latest)
      latest = writeBatch(tail, lines, pool)
      tail = latest.lastId
      older.makeRoom(latest.length)
    },

    take: (after, upTo) => {
      if (after >= tail || latest === undefined) return undefined
      const batch = after >= latest.after ? latest : older.find(after)
      // The common case: the reader has none of the batch and may have all of it.
      return batch?.after === after && batch.lastId <= upTo ? batch : batch?.cut(after, upTo)
    },

    clear: () => {
      older.clear()
      latest = undefined
      pool = new BytePool()
    },
  }
}

const noBlock = new Uint8Array(0)
/** Dropped batches are removed in groups, because a removal moves all others. */
const maxDropped = 64

/** Batches before the latest, stored in columns: they are rarely read, and as objects they would burden the garbage collector. */
class OlderBatches {
  readonly #maxBytes: number
  readonly #afters: number[] = []
  readonly #starts: number[] = []
  readonly #lengths: number[] = []
  readonly #blocks: Uint8Array[] = []
  readonly #ends: (readonly number[])[] = []
  /** Number of dropped batches at the front. */
  #dropped = 0
  #lastId = 0
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push({ after, lastId, block, start, length, ends }: BatchLayout): void {
    this.#afters.push(after)
    this.#starts.push(start)
    this.#lengths.push(length)
    this.#blocks.push(block)
    this.#ends.push(ends)
    this.#lastId = lastId
    this.#bytes += length
  }

  /** Drops the oldest batches until `bytes` more fit. */
  makeRoom(bytes: number): void {
    while (this.#dropped < this.#lengths.length && this.#bytes + bytes > this.#maxBytes) {
      this.#bytes -= this.#lengths[this.#dropped] ?? 0
      this.#blocks[this.#dropped] = noBlock
      this.#dropped += 1
    }
    if (this.#dropped >= maxDropped) this.#clearAway()
  }

  /** Finds the batch with the frame after an id, if it was not dropped. */
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
