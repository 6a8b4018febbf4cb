import type { Append, Appended, Store } from '../../stores/port/index.ts'
import { currentMoment, type Moment } from '../timing.ts'
import type { AppendedLines } from '../server-observer.ts'

/** Data stored in the same append as lines. */
export type AppendExtras = Pick<Append, 'head' | 'parts' | 'commands' | 'lease'>

/** Receives stored lines, with the id of the first and their log. */
export type PublishLines = (
  session: string,
  firstId: number,
  lines: readonly Uint8Array[],
  log?: string,
) => void

/** Options of {@link LogWriter}. */
export interface LogWriterOptions {
  readonly store: Store
  readonly session: string
  /** The log to write to; the log of a restarted session is left unchanged. */
  readonly log?: string
  readonly epoch: number
  readonly tail: number
  /** Above this queue size the producer waits. */
  readonly maxQueuedBytes?: number
  /** The known version of the inbox. */
  readonly inbox?: number
  /** Called when an append reports unknown commands. */
  readonly onCommands?: () => void
  /** Receives the time at which an accepted append was sent. */
  readonly onStored?: (sentAt: Moment) => void
  /** Receives the size and duration of each append. */
  readonly onAppended?: (append: AppendedLines) => void
  /** Receives stored lines, so that live readers need not read them from the store. */
  readonly publish?: PublishLines
}

/**
 * Stores the lines of one run in groups: lines that arrive during an append go into the next one. Uses callbacks that are created once:
 * promises and closures for each append cost as much as the rest of it.
 */
export class LogWriter {
  readonly #options: LogWriterOptions
  readonly #maxQueuedBytes: number
  #lines: Uint8Array[] = []
  #extras: (() => AppendExtras) | undefined
  #bytes = 0
  #lastId: number
  #stored: number
  #inbox: number | undefined
  /** The append in progress. */
  #flight: Flight | undefined
  #failure: { readonly error: unknown } | undefined
  #waiters: { resolve(): void; reject(error: unknown): void }[] = []

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 262_144
    this.#lastId = options.tail
    this.#stored = options.tail
    this.#inbox = options.inbox
  }

  /** Returns the id of the last queued line. */
  readonly lastId = (): number => this.#lastId

  /**
   * Queues lines and the data of their append; later extras replace earlier ones. Returns nothing if there is room for more, else a
   * promise of room; fails after a failed append, after which nothing is stored.
   */
  push(added: readonly Uint8Array[], extras?: () => AppendExtras): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error
    // A copy has no spare capacity, and most appends are of one line.
    if (this.#lines.length === 0) this.#lines = [...added]
    else for (const line of added) this.#lines.push(line)
    for (const { length } of added) this.#bytes += length
    this.#lastId += added.length
    this.#extras = extras ?? this.#extras
    if (this.#flight === undefined) this.#appendNext()
    return this.#bytes > this.#maxQueuedBytes ? this.flush() : undefined
  }

  /** Resolves when the queue is stored. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
      if (this.#flight === undefined) this.#settle()
    })
  }

  /** Stores the queue, or resolves the waiters of an empty one. */
  #appendNext(): void {
    if (this.#lines.length === 0 && this.#extras === undefined) return this.#settle()
    const { store, session, log, epoch } = this.#options
    try {
      // A literal with the same members each time: in V8, an object that is created by spreading takes three times the memory.
      const group = { session, log, epoch, tail: this.#stored, lines: this.#lines }
      // Only the newest state of a group is encoded.
      const append = this.#extras === undefined ? group : { ...group, ...this.#extras() }
      this.#flight = { append, bytes: this.#bytes, sentAt: currentMoment() }
      this.#lines = []
      this.#extras = undefined
      this.#bytes = 0
      store.append(append).then(this.#land, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #land = ({ tail: stored, inbox }: Appended): void => {
    const { append, bytes, sentAt } = this.#flight as Flight
    const { session, tail, lines } = append
    try {
      this.#stored = stored
      this.#options.onStored?.(sentAt)
      if (inbox !== this.#inbox) this.#options.onCommands?.()
      this.#inbox = inbox
      this.#options.publish?.(session, tail + 1, lines, append.log)
      const durationMs = performance.now() - sentAt.monotonic
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

/** An append in progress. */
interface Flight {
  readonly append: Append
  readonly bytes: number
  readonly sentAt: Moment
}
