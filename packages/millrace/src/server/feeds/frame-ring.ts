import { type Frames, frameLines, lineOfFrame } from '../../sse/index.ts'
import type { LogEntry } from '../../store/index.ts'
import { Slab } from '../slab.ts'

/** Messages that follow one another, as they are sent to everybody. */
export interface SharedFrames {
  readonly lastId: number
  /** Not to be changed: other readers are sent the same bytes. */
  readonly bytes: Uint8Array
  /** The same messages one by one, for those who may not see all of them. */
  entries(): readonly LogEntry[]
}

/** The latest messages of a session as frames, made once for all who read them; the oldest make room for new ones. */
export interface FrameRing {
  /** The id of the last message that has been put in. */
  readonly tail: () => number
  /** Puts in the messages that follow the tail. */
  push(entries: readonly LogEntry[]): void
  /** What follows an id, up to another one; undefined if nothing does, or not here any more. */
  readonly take: (after: number, upTo: number) => SharedFrames | undefined
  /** Drops all that is here. */
  clear(): void
}

/** Builds a ring that begins after an id and holds at most so many bytes, or the latest messages if these are more. */
export function createFrameRing(start: number, maxBytes: number): FrameRing {
  const batches: Batch[] = []
  let bytes = 0
  let tail = start
  let slab = new Slab()
  const allocate = (length: number): Uint8Array => slab.take(length)

  return {
    tail: () => tail,

    push: (entries) => {
      const batch = new Batch(tail, frameLines(entries, allocate))
      batches.push(batch)
      tail = batch.lastId
      bytes += batch.bytes.length
      while (bytes > maxBytes && batches.length > 1) bytes -= batches.shift()?.bytes.length ?? 0
    },

    take: (after, upTo) => {
      if (after >= tail || after < (batches[0]?.after ?? Infinity)) return undefined
      const batch = findBatch(batches, after)
      // Most have seen nothing of it, and may see all.
      return batch.after === after && batch.lastId <= upTo ? batch : batch.cut(after, upTo)
    },

    clear: () => {
      batches.length = 0
      bytes = 0
      slab = new Slab()
    },
  }
}

/** The batch with the message after an id, which is in one of them; most ask for the last. */
function findBatch(batches: readonly Batch[], after: number): Batch {
  let low = 0
  let high = batches.length - 1
  if ((batches[high]?.after ?? 0) <= after) low = high
  while (low < high) {
    const middle = (low + high) >> 1
    if ((batches[middle]?.lastId ?? 0) <= after) low = middle + 1
    else high = middle
  }
  // There is one, as whoever asks has made sure.
  return batches[low] as Batch
}

/** Messages that were put in together. */
class Batch implements SharedFrames {
  /** The id before the first of them. */
  readonly after: number
  readonly lastId: number
  readonly bytes: Uint8Array
  readonly #ends: readonly number[]

  constructor(after: number, { bytes, ends }: Frames) {
    this.after = after
    this.lastId = after + ends.length
    this.bytes = bytes
    this.#ends = ends
  }

  entries(): readonly LogEntry[] {
    return this.#ends.map((end, index) => {
      const id = this.after + 1 + index
      return { id, line: lineOfFrame(id, this.bytes.subarray(this.#ends[index - 1] ?? 0, end)) }
    })
  }

  /** What follows an id, up to another one. */
  cut(after: number, upTo: number): SharedFrames {
    const lastId = Math.min(upTo, this.lastId)
    const endOf = (id: number): number => this.#ends[id - this.after - 1] ?? 0
    return {
      lastId,
      bytes: this.bytes.subarray(endOf(after), endOf(lastId)),
      entries: () => this.entries().slice(after - this.after, lastId - this.after),
    }
  }
}
