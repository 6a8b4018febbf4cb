import { cursorTrimmed } from './cursor-trimmed.ts'
import type { LogEntry } from './store.ts'

/** Trimmed places are given back in blocks, so that trimming costs the same however long the log is. */
const releaseBlock = 1024

/** The messages of one session: an array with ids from 1, whose oldest entries may be dropped. */
export interface MemoryLog {
  readonly tail: () => number
  readonly earliest: () => number
  append(lines: readonly Uint8Array[]): void
  read(after: number, limit: number): readonly LogEntry[]
}

/** Builds an empty log that keeps the newest `maxMessages` messages. */
export function createMemoryLog(maxMessages: number): MemoryLog {
  const lines: Uint8Array[] = []
  const released = new Uint8Array(0)
  /** How many places at the front of `lines` hold nothing any more. */
  let head = 0
  /** How many messages stood before `lines[0]`. */
  let base = 0

  const tail = (): number => base + lines.length
  const earliest = (): number => base + head + 1

  const trim = (): void => {
    while (lines.length - head > maxMessages) lines[head++] = released
    if (head < releaseBlock || head * 2 < lines.length) return
    lines.splice(0, head)
    base += head
    head = 0
  }

  return {
    tail,
    earliest,

    append: (added) => {
      for (const line of added) lines.push(line)
      trim()
    },

    read: (after, limit) => {
      if (after < earliest() - 1) throw cursorTrimmed(after, earliest())
      const found: LogEntry[] = []
      const end = Math.min(tail(), after + limit)
      for (let id = after + 1; id <= end; id++) {
        const line = lines[id - base - 1]
        if (line !== undefined) found.push({ id, line })
      }
      return found
    },
  }
}
