import { BytePool } from '../reading/byte-pool.ts'
import { type Batch, type SharedFrames, writeBatch } from './batch.ts'
import { OlderBatches } from './older-batches.ts'

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
      // Most have seen nothing of it, and may see all.
      return batch?.after === after && batch.lastId <= upTo ? batch : batch?.cut(after, upTo)
    },

    clear: () => {
      older.clear()
      latest = undefined
      pool = new BytePool()
    },
  }
}
