import type { StreamEnd } from '../../protocols/port/index.ts'
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
  createChunkEncoder,
  type ChunkEncoder,
  type ChunkEncoderOptions,
} from '../feeds/chunk-encoder.ts'
import type { Subscription } from '../feeds/subscription.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import type { Completion } from './completion.ts'
import type { BodyChunk } from './body-chunk.ts'
import type { ChunkReader } from './chunk-source.ts'

/** What to read and how. */
export interface ReadFramesOptions extends Omit<ChunkEncoderOptions, 'voidSteps'> {
  readonly store: LogSource
  readonly feeds: Feeds
  readonly completion: Completion
  /** The void content that was left out of what the reader has. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** No rollback up to the tail has a higher id; absent if that is not known. */
  readonly lastRollback?: number
  /** How long clients should wait before they reconnect. */
  readonly retryMs?: number
  /** What is ready together goes out in one chunk, up to this size. */
  readonly maxChunkBytes?: number
}

const encoder = new TextEncoder()

/** The comment that a quiet stream sends. */
export const heartbeat: BodyChunk = { bytes: encoder.encode(HEARTBEAT_FRAME) }

/** The parts that all readers of a log share: pages of the store, a subscription at the live end, and the end of the stream. */
export abstract class LogReader implements ChunkReader {
  protected readonly options: ReadFramesOptions
  protected readonly readPage: ReadPage
  protected readonly ready: BodyChunk[]
  protected chunkEncoder: ChunkEncoder
  /** The id of the last message that was taken care of. */
  protected after: number
  protected subscription: Subscription | undefined
  protected hasEnded = false
  #unsubscribe: (() => void) | undefined

  constructor(options: ReadFramesOptions) {
    const { after, retryMs = 1000, maxChunkBytes: maxBytes = MAX_PAGE_BYTES } = options
    this.options = options
    this.readPage = createPageReader({ ...options, maxBytes })
    this.ready = [{ bytes: encoder.encode(encodeSse({ retryMs })) }]
    this.chunkEncoder = createChunkEncoder(options, after)
    this.after = after
  }

  abstract take(): BodyChunk | undefined

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
    const rest = end === 'done' ? this.chunkEncoder.flush(this.after) : undefined
    const last = this.chunkEncoder.finish(end)
    this.ready.push(...[rest, last].filter((chunk) => chunk !== undefined))
    this.#end()
  }

  /** Joins the feed of the log, which also wakes the reader when its completion changes or it is closed. */
  protected subscribe(after: number): Subscription {
    const { feeds, session, log, completion } = this.options
    const subscription = feeds.join(session, after, log)
    this.#unsubscribe = completion.onChange(() => subscription.wake())
    this.subscription = subscription
    return subscription
  }

  #end(): void {
    this.hasEnded = true
    this.#unsubscribe?.()
    this.subscription?.leave()
    this.subscription?.wake()
  }
}

const removals: ReadonlySet<string> = new Set(['not_found', 'log_replaced'])
