import { type Frames, frameLines, lineOfFrame } from '../../sse/index.ts'
import type { LogEntry } from '../../store/index.ts'

/** Messages that follow one another, as they are sent to everybody. */
export interface SharedFrames {
  readonly lastId: number
  /** Not to be changed: other readers are sent the same bytes. */
  readonly bytes: Uint8Array
  /** The same messages one by one, for those who may not see all of them. */
  readonly entries: () => readonly LogEntry[]
}

/** The latest messages of a session as frames, made once for all who read them; the oldest make room for new ones. */
export interface FrameRing {
  /** The id of the last message that has been put in. */
  readonly tail: () => number
  /** Puts in the messages that follow the tail. */
  push(entries: readonly LogEntry[]): void
  /** What follows an id, up to another one; undefined if nothing does, or not here any more. */
  take(after: number, upTo: number): SharedFrames | undefined
  /** The id of the last message that had to make room; 0 if none had to. */
  readonly dropped: () => number
  /** Drops all that is here. */
  clear(): void
}

interface Batch extends Frames {
  readonly firstId: number
  readonly lastId: number
}

/** Builds a ring that begins after an id and holds at most so many bytes, or the latest messages if these are more. */
export function createFrameRing(start: number, maxBytes: number): FrameRing {
  const batches: Batch[] = []
  let bytes = 0
  let tail = start
  let dropped = 0

  const firstId = (): number => batches[0]?.firstId ?? tail + 1

  return {
    tail: () => tail,

    push: (entries) => {
      const frames = frameLines(entries)
      batches.push({ ...frames, firstId: tail + 1, lastId: tail + entries.length })
      tail += entries.length
      bytes += frames.bytes.length
      for (let oldest = batches[0]; bytes > maxBytes && batches.length > 1; oldest = batches[0]) {
        batches.shift()
        bytes -= oldest?.bytes.length ?? 0
        dropped = oldest?.lastId ?? dropped
      }
    },

    take: (after, upTo) => {
      if (after >= tail || after + 1 < firstId()) return undefined
      const batch = batches.find(({ lastId }) => lastId > after)
      return batch && slice(batch, after, Math.min(upTo, batch.lastId))
    },

    dropped: () => dropped,

    clear: () => {
      batches.length = 0
      bytes = 0
    },
  }
}

function slice({ firstId, bytes, ends }: Batch, after: number, lastId: number): SharedFrames {
  const endOf = (id: number): number => (id < firstId ? 0 : (ends[id - firstId] ?? 0))
  return {
    lastId,
    bytes: bytes.subarray(endOf(after), endOf(lastId)),
    entries: () =>
      Array.from({ length: lastId - after }, (_, index) => {
        const id = after + 1 + index
        return { id, line: lineOfFrame(id, bytes.subarray(endOf(id - 1), endOf(id))) }
      }),
  }
}
