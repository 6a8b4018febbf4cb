import { createChunkEncoder } from '../feeds/chunk-encoder.ts'
import { VoidSteps } from '../feeds/void-steps.ts'
import { findRunStart } from './scan-backwards.ts'
import { heartbeat, LogReader, type ReadFramesOptions } from './log-reader.ts'
import { type BodyChunk, type ChunkReader, untilReady } from './chunk-source.ts'
import { waitForTurn } from '../timing.ts'

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
