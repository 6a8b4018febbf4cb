import { createPieceMaker } from '../feeds/chunk-encoder.ts'
import { VoidSteps } from '../feeds/void-steps.ts'
import { findRunStart } from './find-run-start.ts'
import { heartbeat, LogReader, type ReadFramesOptions } from './log-reader.ts'
import type { Piece } from './body-chunk.ts'
import type { PieceReader } from './chunk-source.ts'
import { untilReady } from './until-ready.ts'
import { waitForTurn } from './wait-for-turn.ts'

/**
 * Reads like `readFrames`, but holds back the content of a step until it can no longer become void. Nothing is held in
 * memory: messages are looked at when they come, and read from the store again when their step is settled. [LOG-11]
 */
export function readSettled(options: ReadFramesOptions): PieceReader {
  return new SettledReader(options)
}

class SettledReader extends LogReader {
  #steps: VoidSteps | undefined
  #sentAt = Date.now()

  take(): Piece | undefined {
    const piece = this.ready.shift() ?? (this.seat?.takeQuiet() === true ? heartbeat : undefined)
    if (piece !== undefined) this.#sentAt = Date.now()
    return piece
  }

  /** Sends a page of what is settled, or looks at what has come since, or waits for more. */
  protected async look(): Promise<void> {
    const steps = (this.#steps ??= await this.#start())
    if (this.hasEnded) return
    const { goal } = this.options
    const lastId = goal.lastId()
    const isLost = goal.isLost()
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
    const seat = this.seat ?? this.takeSeat(steps.scanned)
    // What has come or changed since it was looked at has woken nobody.
    const isNews = seat.tail() > steps.scanned || goal.lastId() !== lastId || goal.isLost()
    if (!isNews && !this.hasEnded) await untilReady(seat)
  }

  async #start(): Promise<VoidSteps> {
    const { store, after, dialect } = this.options
    const start = await findRunStart(store, this.options, after)
    const steps = new VoidSteps(this.options, start)
    if (dialect !== undefined) this.after = start
    this.maker = createPieceMaker({ ...this.options, voidSteps: steps }, this.after)
    return steps
  }

  async #send(steps: VoidSteps, upTo: number): Promise<void> {
    const { entries } = await this.readPage(this.after, upTo)
    if (entries.length === 0) return this.conclude('cut')
    this.after = entries.at(-1)?.id ?? this.after
    const piece = this.maker.fromStore(steps.filter(entries))
    if (piece !== undefined) this.ready.push(piece)
  }
}
