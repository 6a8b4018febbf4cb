import { callApart } from '../../streams/index.ts'
import type { SharedFrames } from './batch.ts'
import type { FrameRing } from './frame-ring.ts'

/** A reader's subscription to a feed. */
export interface Subscription {
  /** Returns frames after one id up to another; undefined if there are none yet, or they must be read from the store. */
  readonly take: (after: number, upTo: number) => SharedFrames | undefined
  /** The id of the last frame of the feed. */
  readonly tail: () => number
  /** Whether a heartbeat is due; resets it. */
  takeHeartbeat(): boolean
  /** Calls back once, when frames may be ready or the feed failed. Must follow an unsuccessful {@link take} without an await in between. */
  wait(onReady: () => void, onError: (error: unknown) => void): void
  /** Ends a wait, for changes that the feed does not see. */
  wake(): void
  close(): void
}

/** The feed's side of a subscription. */
export interface FeedSubscription extends Subscription {
  /** Makes a heartbeat due, if the reader waits. */
  sendHeartbeat(): void
  fail(error: unknown): void
}

/** Creates a subscription. */
export function createSubscription(
  ring: FrameRing,
  onClose: (subscription: FeedSubscription) => void,
): FeedSubscription {
  return new RingSubscription(ring, onClose)
}

/** A class, because there are many: closures would take four times the memory. */
class RingSubscription implements FeedSubscription {
  readonly take: Subscription['take']
  readonly tail: Subscription['tail']
  readonly #onClose: (subscription: FeedSubscription) => void
  #onReady: (() => void) | undefined
  #failure: { readonly error: unknown } | undefined
  #isQuiet = false

  constructor({ take, tail }: FrameRing, onClose: (subscription: FeedSubscription) => void) {
    this.take = take
    this.tail = tail
    this.#onClose = onClose
  }

  takeHeartbeat(): boolean {
    const wasQuiet = this.#isQuiet
    this.#isQuiet = false
    return wasQuiet
  }

  wait(onReady: () => void, onError: (error: unknown) => void): void {
    if (this.#failure === undefined) this.#onReady = onReady
    else onError(this.#failure.error)
  }

  wake(): void {
    const onReady = this.#onReady
    this.#onReady = undefined
    if (onReady !== undefined) callApart(onReady)
  }

  sendHeartbeat(): void {
    // A reader that does not wait has frames to read.
    this.#isQuiet = this.#onReady !== undefined
    this.wake()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    // The reader finds nothing, waits again, and gets the error.
    this.wake()
  }

  close(): void {
    this.#onClose(this)
  }
}
