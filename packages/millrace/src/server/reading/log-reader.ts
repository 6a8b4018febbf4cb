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
  type ChunkEncoder,
  type ChunkEncoderOptions,
  createChunkEncoder,
} from '../feeds/chunk-encoder.ts'
import type { Subscription } from '../feeds/subscription.ts'
import type { HiddenContent } from '../feeds/void-steps.ts'
import type { Completion } from './completion.ts'
import type { BodyChunk, ChunkReader } from './chunk-source.ts'

/** Options of a stream of log frames. */
export interface ReadFramesOptions extends Omit<ChunkEncoderOptions, 'voidSteps'> {
  readonly store: LogSource
  readonly feeds: Feeds
  readonly completion: Completion
  /** Void content left out of the frames that the reader has. [DIA-5] */
  readonly hidden?: readonly HiddenContent[]
  /** An upper bound for the id of the last rollback up to the tail, if known. */
  readonly lastRollback?: number
  /** Reconnect delay sent to clients. */
  readonly retryMs?: number
  /** Frames that are ready together are sent in one chunk of at most this size. */
  readonly maxChunkBytes?: number
}

const encoder = new TextEncoder()

/** The comment sent on an idle stream. */
export const heartbeat: BodyChunk = { bytes: encoder.encode(HEARTBEAT_FRAME) }

/** The common part of log readers: pages from the store, a subscription to the feed, and the end of the stream. */
export abstract class LogReader implements ChunkReader {
  protected readonly options: ReadFramesOptions
  protected readonly readPage: ReadPage
  protected readonly ready: BodyChunk[]
  protected chunkEncoder: ChunkEncoder
  /** The id of the last frame processed. */
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

  /** Reads more of the log, or waits for more. */
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

  /** Ends the stream when the log was removed or lost its end; a client that resumes gets the reason. [LOG-13] */
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

  /** Subscribes to the feed of the log. Changes of the completion wake the reader too. */
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
    this.subscription?.close()
    this.subscription?.wake()
  }
}

const removals: ReadonlySet<string> = new Set(['not_found', 'log_replaced', 'log_truncated'])
