import { frameLength, lineOfFrame, writeFrame } from '../../sse/index.ts'
import type { LogEntry } from '../../stores/port/index.ts'
import type { BodyChunk } from '../reading/body-chunk.ts'
import type { BytePool } from '../reading/byte-pool.ts'
import { CHUNK_END_LENGTH, chunkHeadLength, frameChunk } from './http-chunk.ts'

/** Messages that follow one another, as they are sent to everybody. */
export interface SharedFrames extends BodyChunk {
  readonly lastId: number
  /** The same messages one by one, for those who may not see all of them. */
  entries(): readonly LogEntry[]
}

/** Messages that were put in together, in a block where the framing of a chunk is around them. */
export interface BatchPlace {
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

/** Most batches are of one message, and have no ends but their own. */
export const noEnds: readonly number[] = []

/** Messages that were put in together; views of them are made when they are asked for, once for all. */
export class Batch implements SharedFrames, BatchPlace {
  readonly after: number
  readonly lastId: number
  readonly block: Uint8Array
  readonly start: number
  readonly length: number
  readonly ends: readonly number[]
  #bytes: Uint8Array | undefined
  #httpChunk: Uint8Array | undefined

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
export function writeBatch(after: number, lines: readonly Uint8Array[], pool: BytePool): Batch {
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
