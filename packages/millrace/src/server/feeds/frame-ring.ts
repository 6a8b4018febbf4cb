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
  const older = new OlderBatches(maxBytes)
  let latest: Batch | undefined
  let tail = start
  let slab = new Slab()

  return {
    tail: () => tail,

    push: (lines) => {
      if (latest !== undefined) older.push(latest)
      latest = writeBatch(tail, lines, slab)
      tail = latest.lastId
      older.makeRoom(latest.length)
    },

    take: (after, upTo) => {
      if (after >= tail || latest === undefined) return undefined
      const batch = after >= latest.after ? latest : older.find(after)
      // Most have seen nothing of it, and may see all.
      return batch?.after === after && batch.lastId <= upTo ? batch : batch?.cut(after, upTo)
    },

    clear: () => {
      older.clear()
      latest = undefined
      slab = new Slab()
    },
  }
}

/** Messages that were put in together, in a block where the framing of a chunk is around them. */
interface BatchPlace {
  /** The id before the first of them. */
  readonly after: number
  readonly lastId: number
  readonly block: Uint8Array
  /** Where the frames begin, and how many bytes they have. */
  readonly start: number
  readonly length: number
  /** Where each frame but the last ends, counted from the start. */
  readonly ends: readonly number[]
}

const noBlock = new Uint8Array(0)
/** Dropped batches are cleared away so many at a time, because each time all the others move. */
const maxDropped = 64

/** Batches before the latest: few are ever asked for, and as objects they would keep the garbage collector busy. */
class OlderBatches {
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

class Batch implements SharedFrames, BatchPlace {
  readonly after: number
  readonly lastId: number
  readonly block: Uint8Array
  readonly start: number
  readonly length: number
  readonly ends: readonly number[]
  #bytes: Uint8Array | undefined
  #chunk: Uint8Array | undefined

  constructor({ after, lastId, block, start, length, ends }: BatchPlace) {
    this.after = after
    this.lastId = lastId
    this.block = block
    this.start = start
    this.length = length
    this.ends = ends
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= this.block.subarray(this.start, this.start + this.length))
  }

  get chunk(): Uint8Array {
    return (this.#chunk ??= this.block.subarray(
      this.start - chunkHeadLength(this.length),
      this.start + this.length + CHUNK_END_LENGTH,
    ))
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
    return id === this.after ? 0 : (this.ends[id - this.after - 1] ?? this.length)
  }
}

/** Writes messages as frames, and the framing of a chunk around them. */
function writeBatch(after: number, lines: readonly Uint8Array[], slab: Slab): Batch {
  const length = framesLength(after, lines)
  const head = chunkHeadLength(length)
  const start = slab.reserve(head + length + CHUNK_END_LENGTH) + head
  const { block } = slab
  const ends = writeFrames(after, lines, block, start)
  frameChunk(block, start, length)
  return new Batch({ after, lastId: after + lines.length, block, start, length, ends })
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
  let ends: number[] | undefined
  let at = start
  let id = after
  for (const line of lines) {
    if (at > start) (ends ??= []).push(at - start)
    at = writeFrame(++id, line, block, at)
  }
  return ends ?? noEnds
}
