import { frameLength, lineOfFrame, writeFrame } from '../../sse/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import type { BodyChunk } from '../reading/chunk-source.ts'
import { BytePool } from './line-bytes.ts'

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

/** Consecutive frames, encoded once for all readers. */
export interface SharedFrames extends BodyChunk {
  readonly lastId: number
  /** The same frames one by one, for readers with a restricted view. */
  entries(): readonly LogEntry[]
}

/** Layout of frames in a block, with room for HTTP chunk framing around them. */
interface BatchLayout {
  /** The id before the first frame. */
  readonly after: number
  readonly lastId: number
  readonly block: Uint8Array
  /** Offset and length of the encoded frames. */
  readonly start: number
  readonly length: number
  /** End of each frame but the last, relative to `start`. */
  readonly ends: readonly number[]
}

/** Most batches hold one frame and need no inner ends. */
const noEnds: readonly number[] = []

/** Frames that were pushed together. Views of their bytes are created on demand, once for all readers. */
class Batch implements SharedFrames, BatchLayout {
  readonly after: number
  readonly lastId: number
  readonly block: Uint8Array
  readonly start: number
  readonly length: number
  readonly ends: readonly number[]
  #bytes: Uint8Array | undefined
  #httpChunk: Uint8Array | undefined

  constructor({ after, lastId, block, start, length, ends }: BatchLayout) {
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

  get httpChunk(): Uint8Array {
    return (this.#httpChunk ??= this.block.subarray(
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

  /** Returns the frames after one id up to another. */
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

/** Encodes frames with HTTP chunk framing around them. */
function writeBatch(after: number, lines: readonly Uint8Array[], pool: BytePool): Batch {
  const length = framesLength(after, lines)
  const head = chunkHeadLength(length)
  const start = pool.reserve(head + length + CHUNK_END_LENGTH) + head
  const { block } = pool
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

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const LINE_END_LENGTH = 2

/** Length of the size line before data of this length in an HTTP/1.1 chunk. */
function chunkHeadLength(length: number): number {
  return length.toString(16).length + LINE_END_LENGTH
}

/** Length of the line end after the data of a chunk. */
const CHUNK_END_LENGTH = LINE_END_LENGTH

/** Writes the chunk framing around data at `start`. */
function frameChunk(into: Uint8Array, start: number, length: number): void {
  const size = length.toString(16)
  const before = start - LINE_END_LENGTH
  for (let index = 0; index < size.length; index++) {
    into[before - size.length + index] = size.charCodeAt(index)
  }
  endLine(into, before)
  endLine(into, start + length)
}

function endLine(into: Uint8Array, at: number): void {
  into[at] = CARRIAGE_RETURN
  into[at + 1] = LINE_FEED
}
