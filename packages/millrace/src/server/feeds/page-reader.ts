import type { LogEntry, Store } from '../../stores/port/index.ts'

/** The methods of a store that read logs. */
export type LogSource = Pick<Store, 'read' | 'wait'>

/** A page of a log. */
interface Page {
  readonly entries: readonly LogEntry[]
  /** Whether the log had no more frames at that time. */
  readonly isLast: boolean
}

/** Reads frames after one id up to another. */
export type ReadPage = (after: number, upTo: number) => Promise<Page>

interface PageReaderOptions {
  readonly store: Pick<Store, 'read'>
  readonly session: string
  readonly maxBytes?: number
}

/** Maximum bytes of the frames of a page, unless one frame alone is larger. */
export const MAX_PAGE_BYTES = 32_768

const FIRST_ENTRIES = 64
const MIN_ENTRIES = 8
const MAX_ENTRIES = 512
/** Bytes of a frame besides its line, with an id of up to eight digits. */
const FRAME_BYTES = 21

/** Creates a page reader. Stores limit pages by count, so it estimates how many frames fit. */
export function createPageReader({
  store,
  session,
  maxBytes = MAX_PAGE_BYTES,
}: PageReaderOptions): ReadPage {
  let limit = FIRST_ENTRIES
  return async (after, upTo) => {
    const asked = Math.min(limit, upTo - after)
    const found = asked > 0 ? await store.read(session, after, asked) : []
    const { count, bytes } = fit(found, maxBytes)
    if (count > 0) limit = clamp(Math.floor((maxBytes * count) / bytes))
    const entries = count === found.length ? found : found.slice(0, count)
    return { entries, isLast: found.length < asked && count === found.length }
  }
}

/** Counts how many frames fit, at least one, and their bytes. */
function fit(entries: readonly LogEntry[], maxBytes: number): { count: number; bytes: number } {
  let count = 0
  let bytes = 0
  for (const { line } of entries) {
    const length = line.length + FRAME_BYTES
    if (count > 0 && bytes + length > maxBytes) break
    bytes += length
    count++
  }
  return { count, bytes }
}

function clamp(entries: number): number {
  return Math.max(MIN_ENTRIES, Math.min(MAX_ENTRIES, entries))
}

/** Restricts reads to one log of a session: a session that was created anew is not read instead. [LOG-13] */
export function pinLog(store: LogSource, log: string | undefined): LogSource {
  return log === undefined ? store : new PinnedLog(store, log)
}

/** A class, because each reader has one: closures would take four times the memory. */
class PinnedLog implements LogSource {
  readonly #store: LogSource
  readonly #log: string

  constructor(store: LogSource, log: string) {
    this.#store = store
    this.#log = log
  }

  read(session: string, after: number, limit: number): ReturnType<LogSource['read']> {
    return this.#store.read(session, after, limit, this.#log)
  }

  wait(session: string, after: number, signal: AbortSignal): Promise<void> {
    return this.#store.wait(session, after, signal, this.#log)
  }
}
