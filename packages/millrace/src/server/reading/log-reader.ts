import type { StreamEnd } from '../../dialects/index.ts'
import { isMillraceError } from '../../errors/index.ts'
import { encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import type { Feeds } from '../feeds/feeds.ts'
import {
  createPageReader,
  type LogSource,
  MAX_PAGE_BYTES,
  type ReadPage,
} from '../feeds/page-reader.ts'
import {
  createPieceMaker,
  type PieceMaker,
  type PieceMakerOptions,
} from '../feeds/chunk-encoder.ts'
import type { Seat } from '../feeds/subscription.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import type { Goal } from './completion.ts'
import type { Piece } from './body-chunk.ts'
import type { PieceReader } from './chunk-source.ts'

/** What to read and how. */
export interface ReadFramesOptions extends Omit<PieceMakerOptions, 'voidSteps'> {
  readonly store: LogSource
  readonly feeds: Feeds
  readonly goal: Goal
  /** The void content that was left out of what the reader has. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** No rollback up to the tail has a higher id; absent if that is not known. */
  readonly lastRollback?: number
  /** How long clients should wait before they reconnect. */
  readonly retryMs?: number
  /** What is ready together goes out in one piece, up to this size. */
  readonly maxPieceBytes?: number
}

const encoder = new TextEncoder()

/** The comment that a quiet stream sends. */
export const heartbeat: Piece = { bytes: encoder.encode(HEARTBEAT_FRAME) }

/** The parts that all readers of a log share: pages of the store, a seat at the live end, and the end of the stream. */
export abstract class LogReader implements PieceReader {
  protected readonly options: ReadFramesOptions
  protected readonly readPage: ReadPage
  protected readonly ready: Piece[]
  protected maker: PieceMaker
  /** The id of the last message that was taken care of. */
  protected after: number
  protected seat: Seat | undefined
  protected hasEnded = false
  #unsubscribe: (() => void) | undefined

  constructor(options: ReadFramesOptions) {
    const { after, retryMs = 1000, maxPieceBytes: maxBytes = MAX_PAGE_BYTES } = options
    this.options = options
    this.readPage = createPageReader({ ...options, maxBytes })
    this.ready = [{ bytes: encoder.encode(encodeSse({ retryMs })) }]
    this.maker = createPieceMaker(options, after)
    this.after = after
  }

  abstract take(): Piece | undefined

  /** Reads more of the log, or waits until there is more. */
  protected abstract look(): Promise<void>

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    this.look().then(onReady, (error: unknown) => this.fail(error, onReady, onError))
  }

  isOver(): boolean {
    return this.hasEnded && this.ready.length === 0
  }

  close(): void {
    this.ready.length = 0
    this.#end()
  }

  /** A log that was removed ends its streams like a cut: whoever comes back is told why. [LOG-13] */
  protected fail(error: unknown, onReady: () => void, onError: (error: unknown) => void): void {
    if (!isMillraceError(error) || !removals.has(error.code)) return onError(error)
    this.conclude('cut')
    onReady()
  }

  protected conclude(end: StreamEnd): void {
    if (this.hasEnded) return
    const rest = end === 'done' ? this.maker.flush(this.after) : undefined
    const last = this.maker.finish(end)
    this.ready.push(...[rest, last].filter((piece) => piece !== undefined))
    this.#end()
  }

  /** Joins the feed of the log, which also wakes the reader when its goal changes or it is closed. */
  protected takeSeat(after: number): Seat {
    const { feeds, session, log, goal } = this.options
    const seat = feeds.join(session, after, log)
    this.#unsubscribe = goal.onChange(() => seat.wake())
    this.seat = seat
    return seat
  }

  #end(): void {
    this.hasEnded = true
    this.#unsubscribe?.()
    this.seat?.leave()
    this.seat?.wake()
  }
}

const removals: ReadonlySet<string> = new Set(['not_found', 'log_replaced'])
