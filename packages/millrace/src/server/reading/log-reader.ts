import { isMillraceError } from '../../errors/index.ts'
import type { StreamEnd } from '../../protocols/port/index.ts'
import { encodeSse, HEARTBEAT_FRAME } from '../../sse/index.ts'
import {
  type ChunkEncoder,
  type ChunkEncoderOptions,
  createChunkEncoder,
} from '../feeds/chunk-encoder.ts'
import type { Feeds, Subscription } from '../feeds/feed.ts'
import {
  createPageReader,
  type LogSource,
  MAX_PAGE_BYTES,
  type ReadPage,
} from '../feeds/page-reader.ts'
import { type HiddenContent, VoidSteps } from '../feeds/void-steps.ts'
import { waitForTurn } from '../timing.ts'
import { type BodyChunk, type ChunkReader, untilReady } from './chunk-source.ts'
import type { Completion } from './completion.ts'
import { findRunStart, findStart, needsStart } from './find-start.ts'
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
const heartbeat: BodyChunk = { bytes: encoder.encode(HEARTBEAT_FRAME) }

/** The common part of log readers: pages from the store, a subscription to the feed, and the end of the stream. */
abstract class LogReader implements ChunkReader {
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

/**
 * Reads the frames of a log from a cursor to a completion, as encoded chunks. Older frames come from the store, new ones from the
 * feed. Ends after `[DONE]`, or without it when closed or interrupted.
 */
export function readFrames(options: ReadFramesOptions): ChunkReader {
  return new FrameReader(options)
}

/** An object and not a generator: each step of a generator is a promise, and a live frame has a thousand readers. */
class FrameReader extends LogReader {
  #voidSteps: VoidSteps | undefined
  #isStarted: boolean
  #isBehind = false

  constructor(options: ReadFramesOptions) {
    super(options)
    this.#isStarted = !needsStart(options)
  }

  take(): BodyChunk | undefined {
    for (;;) {
      const ready = this.ready.shift()
      if (ready !== undefined || this.hasEnded || !this.#isStarted) return ready
      if (this.subscription?.takeHeartbeat() === true) return heartbeat
      // Read before the feed, so that frames up to this id are already in the store.
      const lastId = this.options.completion.lastId()
      if (this.after === lastId) this.conclude('done')
      else {
        const shared = this.subscription?.take(this.after, lastId ?? Infinity)
        if (shared === undefined) return undefined
        this.after = shared.lastId
        const chunk = this.chunkEncoder.fromFeed(shared)
        if (chunk !== undefined) return chunk
      }
    }
  }

  override wait(onReady: () => void, onError: (error: unknown) => void): void {
    const { subscription } = this
    const isLive = subscription !== undefined && this.after >= subscription.tail()
    if (!isLive || this.options.completion.isInterrupted()) super.wait(onReady, onError)
    else subscription.wait(onReady, (error) => this.fail(error, onReady, onError))
  }

  protected look(): Promise<void> {
    return this.#isStarted ? this.#readStore() : this.#start()
  }

  async #start(): Promise<void> {
    const { after, voidSteps } = await findStart(this.options)
    this.after = after
    this.#voidSteps = voidSteps
    this.chunkEncoder = createChunkEncoder(
      { ...this.options, ...(voidSteps && { voidSteps }) },
      after,
    )
    this.#isStarted = true
  }

  async #readStore(): Promise<void> {
    const { completion } = this.options
    if (this.#isBehind) await waitForTurn()
    const lastId = completion.lastId()
    const isInterrupted = completion.isInterrupted()
    const { entries, isLast } = await this.readPage(this.after, lastId ?? Infinity)
    if (this.hasEnded) return
    const chunk = this.chunkEncoder.fromStore(this.#voidSteps?.filter(entries) ?? entries)
    if (chunk !== undefined) this.ready.push(chunk)
    this.after = entries.at(-1)?.id ?? this.after
    this.#isBehind = !isLast
    if (!isLast) return
    if (entries.length === 0 && (isInterrupted || lastId !== undefined)) this.conclude('cut')
    else if (this.subscription === undefined) this.subscribe(this.after)
    // The log is shorter than it was: wait.
    else if (entries.length === 0) await untilReady(this.subscription)
  }
}

/**
 * Reads like `readFrames`, but withholds the content of a step until it can no longer become void. Frames are not buffered: they
 * are scanned on arrival and read from the store again once their step is settled. [LOG-11]
 */
export function readSettled(options: ReadFramesOptions): ChunkReader {
  return new SettledReader(options)
}

class SettledReader extends LogReader {
  #steps: VoidSteps | undefined
  #sentAt = Date.now()

  take(): BodyChunk | undefined {
    const chunk =
      this.ready.shift() ?? (this.subscription?.takeHeartbeat() === true ? heartbeat : undefined)
    if (chunk !== undefined) this.#sentAt = Date.now()
    return chunk
  }

  /** Sends a page of settled frames, scans new frames, or waits. */
  protected async look(): Promise<void> {
    const steps = (this.#steps ??= await this.#start())
    if (this.hasEnded) return
    const { completion } = this.options
    const lastId = completion.lastId()
    const isInterrupted = completion.isInterrupted()
    // A completed run has no content that could still become void.
    const isWhole = lastId !== undefined && steps.scanned >= lastId
    const upTo = isWhole ? lastId : Math.min(steps.settled, lastId ?? Infinity)
    if (this.after < upTo) return this.#send(steps, upTo)
    if (isWhole) return this.conclude('done')
    const { entries } = await this.readPage(steps.scanned, lastId ?? Infinity)
    steps.scan(entries)
    // A step may stream for minutes before it is sent. [SSE-3]
    if (Date.now() - this.#sentAt >= this.options.heartbeatMs) this.ready.push(heartbeat)
    if (entries.length > 0) return waitForTurn()
    if (isInterrupted || lastId !== undefined) return this.conclude('cut')
    const subscription = this.subscription ?? this.subscribe(steps.scanned)
    // Changes since the scan above have not woken the reader.
    const isNews =
      subscription.tail() > steps.scanned ||
      completion.lastId() !== lastId ||
      completion.isInterrupted()
    if (!isNews && !this.hasEnded) await untilReady(subscription)
  }

  async #start(): Promise<VoidSteps> {
    const { store, after, format } = this.options
    const start = await findRunStart(store, this.options, after)
    const steps = new VoidSteps(this.options, start)
    if (format !== undefined) this.after = start
    this.chunkEncoder = createChunkEncoder({ ...this.options, voidSteps: steps }, this.after)
    return steps
  }

  async #send(steps: VoidSteps, upTo: number): Promise<void> {
    const { entries } = await this.readPage(this.after, upTo)
    if (entries.length === 0) return this.conclude('cut')
    this.after = entries.at(-1)?.id ?? this.after
    const chunk = this.chunkEncoder.fromStore(steps.filter(entries))
    if (chunk !== undefined) this.ready.push(chunk)
  }
}

/** Options of a wait for a queued prompt. */
interface ReadLaterOptions {
  readonly heartbeatMs: number
  /** Interrupted when the server closes, which ends the wait. */
  readonly completion: Completion
}

/** Sends heartbeats until `begin` resolves, then reads from its reader. */
export function readLater(
  begin: (signal: AbortSignal) => Promise<ChunkReader>,
  options: ReadLaterOptions,
): ChunkReader {
  return new LaterReader(begin, options)
}

class LaterReader implements ChunkReader {
  readonly #heartbeatMs: number
  readonly #closed = new AbortController()
  readonly #begun: Promise<void>
  readonly #unsubscribe: () => void
  #reader: ChunkReader | undefined
  /** Initially true: the first heartbeat makes the platform send the response headers. */
  #isQuiet = true

  constructor(
    begin: (signal: AbortSignal) => Promise<ChunkReader>,
    { heartbeatMs, completion }: ReadLaterOptions,
  ) {
    this.#heartbeatMs = heartbeatMs
    const { signal } = this.#closed
    this.#begun = begin(signal).then((reader) => {
      this.#unsubscribe()
      this.#reader = reader
      if (signal.aborted) reader.close()
    })
    // A failure before the first wait is reported by the next call of `wait`.
    this.#begun.catch(() => {})
    this.#unsubscribe = completion.onChange(() => this.close())
    if (completion.isInterrupted()) this.close()
  }

  take(): BodyChunk | undefined {
    if (this.#reader !== undefined) return this.#reader.take()
    if (!this.#isQuiet) return undefined
    this.#isQuiet = false
    return heartbeat
  }

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    if (this.#reader !== undefined) return this.#reader.wait(onReady, onError)
    let isSettled = false
    const settle = (task: () => void): void => {
      clearTimeout(timer)
      if (!isSettled) task()
      isSettled = true
    }
    const timer = setTimeout(() => {
      this.#isQuiet = true
      settle(onReady)
    }, this.#heartbeatMs)
    this.#begun.then(
      () => settle(onReady),
      (error: unknown) => settle(() => (this.isOver() ? onReady() : onError(error))),
    )
  }

  isOver(): boolean {
    return this.#closed.signal.aborted || this.#reader?.isOver() === true
  }

  close(): void {
    this.#unsubscribe()
    this.#closed.abort()
    this.#reader?.close()
  }
}
