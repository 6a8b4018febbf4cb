import { createChunkEncoder } from '../feeds/chunk-encoder.ts'
import type { VoidSteps } from '../feeds/void-steps.ts'
import { findStart, needsStart } from './find-start.ts'
import { heartbeat, LogReader, type ReadFramesOptions } from './log-reader.ts'
import { type BodyChunk, type ChunkReader, untilReady } from './chunk-source.ts'
import { waitForTurn } from '../timing.ts'

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
