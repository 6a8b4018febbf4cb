import type { LogEntry } from '../port/index.ts'

/** Number of trimmed entries that are removed at once, so that the cost of trimming does not depend on the log's length. */
const releaseBlock = 1024

/** Frames of a session in an array. The oldest may be dropped. */
export type MemoryLog = ReturnType<typeof createMemoryLog>

interface MemoryLogOptions {
  readonly maxMessages: number
  /** Id before the first frame. */
  readonly start?: number
  readonly earliest?: number
  /** Whether branches share its frames; then none may be dropped. */
  readonly isShared?: () => boolean
}

/** Creates an empty log that keeps the newest `maxMessages` frames. */
export function createMemoryLog({
  maxMessages,
  start = 0,
  earliest: first = start + 1,
  isShared = () => false,
}: MemoryLogOptions) {
  const lines: Uint8Array[] = []
  const released = new Uint8Array(0)
  /** Number of released entries at the front of `lines`. */
  let head = 0
  /** Number of frames before `lines[0]`. */
  let base = start
  let earliest = first

  const tail = (): number => base + lines.length

  const trim = (before: number): void => {
    earliest = Math.max(earliest, Math.min(before, tail() + 1))
    if (isShared()) return
    while (base + head + 1 < earliest) lines[head++] = released
    if (head < releaseBlock || head * 2 < lines.length) return
    lines.splice(0, head)
    base += head
    head = 0
  }

  return {
    tail,
    earliest: (): number => earliest,
    /** Raises `earliest` to an id. */
    trim,

    append: (added: readonly Uint8Array[]) => {
      for (const line of added) lines.push(line)
      trim(tail() - maxMessages + 1)
    },

    /** Reads frames after an id, including those before `earliest` that a branch shares. */
    read: (after: number, limit: number): readonly LogEntry[] => {
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
