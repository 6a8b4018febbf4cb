import { frameLength, lineOfFrame, writeFrame } from '../../sse/index.ts'
import type { LogEntry } from '../../store/index.ts'
import type { Piece } from '../piece.ts'
import { Slab } from '../slab.ts'
import { CHUNK_END_LENGTH, chunkHeadLength, frameChunk } from './http-chunk.ts'

/** Messages that follow one another, as they are sent to everybody. */
export interface SharedFrames extends Piece {
  readonly lastId: number
  /** The same messages one by one, for those who may not see all of them. */
  entries(): readonly LogEntry[]
}

/** The latest messages of a session as frames, made once for all who read them; the oldest make room for new ones. */
export interface FrameRing {
  /** The id of the last message that has been put in. */
  readonly tail: () => number
  /** Puts in the messages that follow the tail, at least one. */
  push(lines: readonly Uint8Array[]): void
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

  return {
    tail: () => tail,

    push: (lines) => {
      batches.at(-1)?.dropViews()
      const batch = new Batch(tail, lines, slab)
      batches.push(batch)
      tail = batch.lastId
      bytes += batch.length
      while (bytes > maxBytes && batches.length > 1) bytes -= batches.shift()?.length ?? 0
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

/**
 * Messages that were put in together. Only where they are is kept of them: views of memory, made when they are asked
 * for, are gone soon, and what lives long costs most when garbage is collected.
 */
class Batch implements SharedFrames {
  /** The id before the first of them. */
  readonly after: number
  readonly lastId: number
  /** How many bytes the frames have. */
  readonly length: number
  readonly #block: Uint8Array
  /** Where the frames begin; around them is the framing of a chunk. */
  readonly #start: number
  /** Where each frame but the last ends, counted from the start. */
  readonly #ends: readonly number[]
  #bytes: Uint8Array | undefined
  #chunk: Uint8Array | undefined

  constructor(after: number, lines: readonly Uint8Array[], slab: Slab) {
    const length = framesLength(after, lines)
    const head = chunkHeadLength(length)
    const start = slab.reserve(head + length + CHUNK_END_LENGTH) + head
    const block = slab.block
    this.after = after
    this.lastId = after + lines.length
    this.length = length
    this.#block = block
    this.#start = start
    this.#ends = writeFrames(after, lines, block, start)
    frameChunk(block, start, length)
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= this.#block.subarray(this.#start, this.#start + this.length))
  }

  get chunk(): Uint8Array {
    return (this.#chunk ??= this.#block.subarray(
      this.#start - chunkHeadLength(this.length),
      this.#start + this.length + CHUNK_END_LENGTH,
    ))
  }

  /** Most have taken it when the next one comes. */
  dropViews(): void {
    this.#bytes = undefined
    this.#chunk = undefined
  }

  entries(): readonly LogEntry[] {
    const { after, bytes } = this
    return Array.from({ length: this.lastId - after }, (_, index) => {
      const id = after + 1 + index
      return { id, line: lineOfFrame(id, bytes.subarray(this.#endOf(id - 1), this.#endOf(id))) }
    })
  }

  /** What follows an id, up to another one. */
  cut(after: number, upTo: number): SharedFrames {
    const lastId = Math.min(upTo, this.lastId)
    return {
      lastId,
      bytes: this.bytes.subarray(this.#endOf(after), this.#endOf(lastId)),
      entries: () => this.entries().slice(after - this.after, lastId - this.after),
    }
  }

  #endOf(id: number): number {
    if (id === this.after) return 0
    return this.#ends[id - this.after - 1] ?? this.length
  }
}

function framesLength(after: number, lines: readonly Uint8Array[]): number {
  let length = 0
  let id = after
  for (const line of lines) length += frameLength(++id, line)
  return length
}

/** Most batches are of one message, and have no ends but their own. */
const noEnds: readonly number[] = []

function writeFrames(
  after: number,
  lines: readonly Uint8Array[],
  block: Uint8Array,
  start: number,
): readonly number[] {
  const ends = lines.length > 1 ? [] : (noEnds as number[])
  let at = start
  let id = after
  for (const line of lines) {
    if (at > start) ends.push(at - start)
    at = writeFrame(++id, line, block, at)
  }
  return ends
}
