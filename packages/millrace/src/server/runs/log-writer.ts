import type { Append, Appended, Store } from '../../stores/port/index.ts'
import { currentMoment, type Moment } from '../timing.ts'
import type { AppendedLines } from '../server-observer.ts'

/** What may be stored in the same append as lines are. */
export type AppendExtras = Pick<Append, 'head' | 'parts' | 'commands' | 'lease'>

/** Takes lines that have been stored, with the id of the first and the log that they are in. */
export type PublishLines = (
  session: string,
  firstId: number,
  lines: readonly Uint8Array[],
  log?: string,
) => void

/** Where a writer writes, and how much may wait there. */
export interface LogWriterOptions {
  readonly store: Store
  readonly session: string
  /** The log that is written to; a session that has begun again is left alone. */
  readonly log?: string
  readonly epoch: number
  readonly tail: number
  /** The producer waits while more than this is queued. */
  readonly maxQueuedBytes?: number
  /** The version of the inbox that is known. */
  readonly inbox?: number
  /** Called when an append tells of commands that are not known. */
  readonly onCommands?: () => void
  /** Told when an append was sent that the store has accepted. */
  readonly onStored?: (sentAt: Moment) => void
  /** Told of what has been stored. */
  readonly onAppended?: (append: AppendedLines) => void
  /** Offered what has been stored, so that those who read it live need not read it back. */
  readonly publish?: PublishLines
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
  readonly #place: Pick<Append, 'session' | 'log' | 'epoch'>
  #lines: Uint8Array[] = []
  #extras: (() => AppendExtras) | undefined
  #bytes = 0
  #lastId: number
  #stored: number
  #inbox: number | undefined
  /** What is being stored. */
  #flight: Flight | undefined
  #failure: { readonly error: unknown } | undefined
  #waiters: Waiter[] = []

  constructor(options: LogWriterOptions) {
    this.#options = options
    const { session, log, epoch } = options
    this.#place = { session, epoch, ...(log !== undefined && { log }) }
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 262_144
    this.#lastId = options.tail
    this.#stored = options.tail
    this.#inbox = options.inbox
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
    const { store } = this.#options
    try {
      const group = { ...this.#place, tail: this.#stored, lines: this.#lines }
      // Only the newest state of a group is ever encoded.
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

/** An append under way. */
interface Flight {
  readonly append: Append
  readonly bytes: number
  readonly sentAt: Moment
}
