import type { StreamEnd } from '../dialects/index.ts'
import { encodeSse, HEARTBEAT_FRAME } from '../sse/index.ts'
import type { Store } from '../store/index.ts'
import type { Feeds } from './feeds/feeds.ts'
import { createPageReader, MAX_PAGE_BYTES, type ReadPage } from './feeds/page-reader.ts'
import { createPieceMaker, type PieceMaker, type PieceMakerOptions } from './feeds/piece-maker.ts'
import type { Seat } from './feeds/seat.ts'
import { findRunStart } from './find-run-start.ts'
import type { Goal } from './goal.ts'
import type { Piece } from './piece.ts'
import type { PieceReader } from './piece-source.ts'
import { untilReady } from './until-ready.ts'
import { findPayloadStart } from './views/payload-start.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** What to read and how. */
export interface ReadFramesOptions extends PieceMakerOptions {
  readonly store: Store
  readonly feeds: Feeds
  readonly goal: Goal
  /** How long clients should wait before they reconnect. */
  readonly retryMs?: number
  /** What is ready together goes out in one piece, up to this size. */
  readonly maxPieceBytes?: number
}

const encoder = new TextEncoder()
const heartbeat: Piece = { bytes: encoder.encode(HEARTBEAT_FRAME) }

/**
 * The frames of a session's log from a cursor to a goal, in pieces that are ready to be written. What is older is
 * read from the store; what is new comes from the session's feed. Ends after `[DONE]`, or without it when it is
 * closed or the goal is lost.
 */
export function readFrames(options: ReadFramesOptions): PieceReader {
  return new FrameReader(options)
}

/** An object, not a generator: a live message passes a thousand readers, and each step of a generator is a promise. */
class FrameReader implements PieceReader {
  readonly #options: ReadFramesOptions
  #maker: PieceMaker
  readonly #readPage: ReadPage
  readonly #ready: Piece[]
  /** The id of the last message that was looked at. */
  #after: number
  #seat: Seat | undefined
  #unsubscribe: (() => void) | undefined
  #isStarted: boolean
  #isHurried = false
  #isOver = false

  constructor(options: ReadFramesOptions) {
    const {
      store,
      session,
      after,
      view,
      dialect,
      retryMs = 1000,
      maxPieceBytes: maxBytes = MAX_PAGE_BYTES,
    } = options
    this.#options = options
    this.#maker = createPieceMaker(options, after)
    this.#readPage = createPageReader({ store, session, maxBytes })
    this.#ready = [{ bytes: encoder.encode(encodeSse({ retryMs })) }]
    this.#after = after
    this.#isStarted = view === undefined && dialect === undefined
  }

  take(): Piece | undefined {
    for (;;) {
      const ready = this.#ready.shift()
      if (ready !== undefined || this.#isOver || !this.#isStarted) return ready
      if (this.#seat?.takeQuiet() === true) return heartbeat
      // Asked before the feed is: what the goal promises is then in the store already.
      const lastId = this.#options.goal.lastId()
      if (this.#after === lastId) this.#finish(lastId)
      else {
        const shared = this.#seat?.take(this.#after, lastId ?? Infinity)
        if (shared === undefined) return undefined
        this.#after = shared.lastId
        const piece = this.#maker.fromFeed(shared)
        if (piece !== undefined) return piece
      }
    }
  }

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    const seat = this.#seat
    const isLive = seat !== undefined && this.#after >= seat.tail()
    if (isLive && !this.#options.goal.isLost()) seat.wait(onReady, onError)
    else this.#look().then(onReady, onError)
  }

  #look(): Promise<void> {
    return this.#isStarted ? this.#readStore() : this.#start()
  }

  isOver(): boolean {
    return this.#isOver && this.#ready.length === 0
  }

  close(): void {
    this.#ready.length = 0
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#unsubscribe?.()
    this.#seat?.leave()
    this.#seat?.wake()
  }

  #finish(lastId: number): void {
    const rest = this.#maker.flush(lastId)
    if (rest !== undefined) this.#ready.push(rest)
    this.#conclude('done')
  }

  #conclude(end: StreamEnd): void {
    const last = this.#maker.finish(end)
    if (last !== undefined) this.#ready.push(last)
    this.#end()
  }

  async #start(): Promise<void> {
    const { store, session, view, dialect, after } = this.#options
    if (dialect !== undefined) {
      this.#after = await findRunStart(store, session, after)
      this.#maker = createPieceMaker(this.#options, this.#after)
    } else if (view !== undefined) this.#after = await findPayloadStart(store, view, after)
    this.#isStarted = true
  }

  async #readStore(): Promise<void> {
    const { goal } = this.#options
    if (this.#isHurried) await yieldToEventLoop()
    const lastId = goal.lastId()
    const isLost = goal.isLost()
    const { entries, isLast } = await this.#readPage(this.#after, lastId ?? Infinity)
    if (this.#isOver) return
    const piece = this.#maker.fromStore(entries)
    if (piece !== undefined) this.#ready.push(piece)
    this.#after = entries.at(-1)?.id ?? this.#after
    this.#isHurried = !isLast
    if (!isLast) return
    if (entries.length === 0 && (isLost || lastId !== undefined)) this.#conclude('cut')
    else if (this.#seat === undefined) this.#takeSeat()
    // A log that is shorter than it was: there is nothing to do but to wait.
    else if (entries.length === 0) await untilReady(this.#seat)
  }

  /** Takes a place at the feed of the session, in which the reader is also woken when its goal changes or it is closed. */
  #takeSeat(): void {
    const { feeds, session, goal } = this.#options
    const seat = feeds.join(session, this.#after)
    this.#unsubscribe = goal.onChange(() => seat.wake())
    this.#seat = seat
  }
}
