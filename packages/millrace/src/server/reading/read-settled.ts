import { createChunkEncoder } from '../feeds/chunk-encoder.ts'
import { VoidSteps } from '../feeds/void-steps.ts'
import { findRunStart } from './find-run-start.ts'
import { heartbeat, LogReader, type ReadFramesOptions } from './log-reader.ts'
import type { BodyChunk } from './body-chunk.ts'
import type { ChunkReader } from './chunk-source.ts'
import { untilReady } from './until-ready.ts'
import { waitForTurn } from './wait-for-turn.ts'

/**
 * Reads like `readFrames`, but holds back the content of a step until it can no longer become void. Nothing is held in
 * memory: messages are looked at when they come, and read from the store again when their step is settled. [LOG-11]
 */
export function readSettled(options: ReadFramesOptions): ChunkReader {
  return new SettledReader(options)
}

class SettledReader extends LogReader {
  #steps: VoidSteps | undefined
  #sentAt = Date.now()

  take(): BodyChunk | undefined {
    const chunk =
      this.ready.shift() ?? (this.subscription?.takeQuiet() === true ? heartbeat : undefined)
    if (chunk !== undefined) this.#sentAt = Date.now()
    return chunk
  }

  /** Sends a page of what is settled, or looks at what has come since, or waits for more. */
  protected async look(): Promise<void> {
    const steps = (this.#steps ??= await this.#start())
    if (this.hasEnded) return
    const { completion } = this.options
    const lastId = completion.lastId()
    const isLost = completion.isLost()
    // A run that is over has nothing that could still become void.
    const isWhole = lastId !== undefined && steps.scanned >= lastId
    const upTo = isWhole ? lastId : Math.min(steps.settled, lastId ?? Infinity)
    if (this.after < upTo) return this.#send(steps, upTo)
    if (isWhole) return this.conclude('done')
    const { entries } = await this.readPage(steps.scanned, lastId ?? Infinity)
    steps.scan(entries)
    // A step may stream for minutes before anything of it is sent. [SSE-3]
    if (Date.now() - this.#sentAt >= this.options.heartbeatMs) this.ready.push(heartbeat)
    if (entries.length > 0) return waitForTurn()
    if (isLost || lastId !== undefined) return this.conclude('cut')
    const subscription = this.subscription ?? this.subscribe(steps.scanned)
    // What has come or changed since it was looked at has woken nobody.
    const isNews =
      subscription.tail() > steps.scanned || completion.lastId() !== lastId || completion.isLost()
    if (!isNews && !this.hasEnded) await untilReady(subscription)
  }

  async #start(): Promise<VoidSteps> {
    const { store, after, dialect } = this.options
    const start = await findRunStart(store, this.options, after)
    const steps = new VoidSteps(this.options, start)
    if (dialect !== undefined) this.after = start
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
