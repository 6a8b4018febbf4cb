import { createChunkEncoder } from '../feeds/chunk-encoder.ts'
import type { VoidSteps } from '../feeds/void-steps.ts'
import { findStart, needsStart } from './find-start.ts'
import { heartbeat, LogReader, type ReadFramesOptions } from './log-reader.ts'
import type { BodyChunk } from './body-chunk.ts'
import type { ChunkReader } from './chunk-source.ts'
import { untilReady } from './until-ready.ts'
import { waitForTurn } from './wait-for-turn.ts'

/**
 * The frames of a session's log from a cursor to a completion, in chunks that are ready to be written. What is older is
 * read from the store; what is new comes from the session's feed. Ends after `[DONE]`, or without it when it is
 * closed or the completion is lost.
 */
export function readFrames(options: ReadFramesOptions): ChunkReader {
  return new FrameReader(options)
}

/** An object, not a generator: a live message passes a thousand readers, and each step of a generator is a promise. */
class FrameReader extends LogReader {
  #voidSteps: VoidSteps | undefined
  #isStarted: boolean
  #isHurried = false

  constructor(options: ReadFramesOptions) {
    super(options)
    this.#isStarted = !needsStart(options)
  }

  take(): BodyChunk | undefined {
    for (;;) {
      const ready = this.ready.shift()
      if (ready !== undefined || this.hasEnded || !this.#isStarted) return ready
      if (this.subscription?.takeQuiet() === true) return heartbeat
      // RouteInput before the feed is: what the completion promises is then in the store already.
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
    if (!isLive || this.options.completion.isLost()) super.wait(onReady, onError)
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
    if (this.#isHurried) await waitForTurn()
    const lastId = completion.lastId()
    const isLost = completion.isLost()
    const { entries, isLast } = await this.readPage(this.after, lastId ?? Infinity)
    if (this.hasEnded) return
    const chunk = this.chunkEncoder.fromStore(this.#voidSteps?.filter(entries) ?? entries)
    if (chunk !== undefined) this.ready.push(chunk)
    this.after = entries.at(-1)?.id ?? this.after
    this.#isHurried = !isLast
    if (!isLast) return
    if (entries.length === 0 && (isLost || lastId !== undefined)) this.conclude('cut')
    else if (this.subscription === undefined) this.subscribe(this.after)
    // A log that is shorter than it was: there is nothing to do but to wait.
    else if (entries.length === 0) await untilReady(this.subscription)
  }
}
