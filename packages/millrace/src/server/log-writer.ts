import type { Append, Store } from '../store/index.ts'
import type { AppendedLines } from './server-observer.ts'

/** What may be stored in the same append as lines are. */
export type AppendExtras = Pick<Append, 'record' | 'conversation' | 'lease'>

/** Takes lines that have been stored, with the id of the first. */
export type OfferLines = (session: string, firstId: number, lines: readonly Uint8Array[]) => void

/** Where a writer writes, and how much may wait there. */
export interface LogWriterOptions {
  readonly store: Store
  readonly session: string
  readonly epoch: number
  readonly tail: number
  /** The producer waits while more than this is queued. */
  readonly maxQueuedBytes?: number
  /** Told of what has been stored. */
  readonly onAppended?: (append: AppendedLines) => void
  /** Offered what has been stored, so that those who read it live need not read it back. */
  readonly offer?: OfferLines
}

/** Stores the lines of one run in groups: what comes while an append is under way goes into the next one. */
export interface LogWriter {
  /** The id that the last line queued so far has, or will have. */
  lastId(): number
  /**
   * Queues lines and, with them, what is stored in the same append; later extras take the place of earlier ones.
   * Gives nothing if there is room for more, else what resolves when there is; fails once an append has failed,
   * after which nothing is stored any more.
   */
  push(lines: readonly Uint8Array[], extras?: () => AppendExtras): Promise<void> | undefined
  /** Resolves when all that was queued is stored. */
  flush(): Promise<void>
}

/** Builds a writer for a session that has been opened. */
export function createLogWriter(options: LogWriterOptions): LogWriter {
  const { store, session, epoch, tail, maxQueuedBytes = 262_144, onAppended, offer } = options
  let lines: Uint8Array[] = []
  let extras: (() => AppendExtras) | undefined
  let bytes = 0
  let lastId = tail
  let stored = tail
  let flight: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined

  const takeGroup = (): Append => {
    // Only the newest record of a group is ever encoded.
    const group = { session, epoch, tail: stored, lines, ...extras?.() }
    lines = []
    extras = undefined
    bytes = 0
    return group
  }

  const drain = async (): Promise<void> => {
    try {
      while (lines.length > 0 || extras !== undefined) {
        const size = bytes
        const group = takeGroup()
        const startedAt = performance.now()
        stored = await store.append(group)
        offer?.(session, group.tail + 1, group.lines)
        const durationMs = performance.now() - startedAt
        onAppended?.({ session, lines: group.lines.length, bytes: size, durationMs })
      }
    } catch (error) {
      failure = { error }
    } finally {
      flight = undefined
    }
  }

  const check = (): void => {
    if (failure !== undefined) throw failure.error
  }

  const flush = async (): Promise<void> => {
    await flight
    check()
  }

  return {
    lastId: () => lastId,

    push: (added, newExtras) => {
      check()
      for (const line of added) {
        lines.push(line)
        bytes += line.length
      }
      lastId += added.length
      extras = newExtras ?? extras
      if (lines.length > 0 || extras !== undefined) flight ??= drain()
      return bytes > maxQueuedBytes ? flush() : undefined
    },

    flush,
  }
}
