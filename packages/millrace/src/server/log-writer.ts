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
  return new GroupWriter(options)
}

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

/** Works with callbacks that are made once: promises and closures for each append cost as much as all else about it. */
class GroupWriter implements LogWriter {
  readonly #options: LogWriterOptions
  readonly #maxQueuedBytes: number
  #lines: Uint8Array[] = []
  #extras: (() => AppendExtras) | undefined
  #bytes = 0
  #lastId: number
  #stored: number
  /** What is being stored. */
  #flight: Flight | undefined
  #failure: { readonly error: unknown } | undefined
  #waiters: Waiter[] = []

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 262_144
    this.#lastId = options.tail
    this.#stored = options.tail
  }

  readonly lastId = (): number => this.#lastId

  push(added: readonly Uint8Array[], extras?: () => AppendExtras): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error
    // A copy has room for no more than it holds, and most appends are of one line.
    if (this.#lines.length === 0) this.#lines = [...added]
    else for (const line of added) this.#lines.push(line)
    for (const { length } of added) this.#bytes += length
    this.#lastId += added.length
    this.#extras = extras ?? this.#extras
    if (this.#flight === undefined) this.#appendNext()
    return this.#bytes > this.#maxQueuedBytes ? this.flush() : undefined
  }

  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
      if (this.#flight === undefined) this.#settle()
    })
  }

  /** Stores what is queued, or tells those who wait that nothing is. */
  #appendNext(): void {
    if (this.#lines.length === 0 && this.#extras === undefined) return this.#settle()
    const { store, session, epoch } = this.#options
    try {
      const group = { session, epoch, tail: this.#stored, lines: this.#lines }
      // Only the newest record of a group is ever encoded.
      const append = this.#extras === undefined ? group : { ...group, ...this.#extras() }
      this.#flight = { append, bytes: this.#bytes, startedAt: performance.now() }
      this.#lines = []
      this.#extras = undefined
      this.#bytes = 0
      store.append(append).then(this.#land, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #land = (stored: number): void => {
    const { append, bytes, startedAt } = this.#flight as Flight
    const { session, tail, lines } = append
    try {
      this.#stored = stored
      this.#options.offer?.(session, tail + 1, lines)
      const durationMs = performance.now() - startedAt
      this.#options.onAppended?.({ session, lines: lines.length, bytes, durationMs })
    } catch (error) {
      return this.#fail(error)
    }
    this.#flight = undefined
    this.#appendNext()
  }

  readonly #fail = (error: unknown): void => {
    this.#failure = { error }
    this.#flight = undefined
    this.#settle()
  }

  #settle(): void {
    if (this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = []
    for (const { resolve, reject } of waiters) {
      if (this.#failure === undefined) resolve()
      else reject(this.#failure.error)
    }
  }
}

/** An append under way. */
interface Flight {
  readonly append: Append
  readonly bytes: number
  readonly startedAt: number
}
