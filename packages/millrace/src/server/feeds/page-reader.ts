import type { LogEntry, Store } from '../../stores/port/index.ts'

/** The methods of a store that read logs. */
export type LogSource = Pick<Store, 'read' | 'wait'>

/** A part of a log. */
export interface Page {
  readonly entries: readonly LogEntry[]
  /** Whether the log had no more at that moment. */
  readonly isLast: boolean
}

/** Reads what follows an id, up to another one. */
export type ReadPage = (after: number, upTo: number) => Promise<Page>

/** What is read, and how much of it at once. */
export interface PageReaderOptions {
  readonly store: Pick<Store, 'read'>
  readonly session: string
  readonly maxBytes?: number
}

/** The frames of a page have no more bytes than this, unless one alone has. */
export const MAX_PAGE_BYTES = 32_768

const FIRST_ENTRIES = 64
const MIN_ENTRIES = 8
const MAX_ENTRIES = 512
/** What a frame has beside its line, of an id with up to eight digits. */
const FRAME_BYTES = 21

/** Builds what reads a log in pages: stores count messages, and this asks for as many as should fit. */
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

/** How many of the messages fit, at least one, and how long they are together. */
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
