import { callApart } from '../../streams/index.ts'
import type { SharedFrames } from './batch.ts'
import type { FrameRing } from './frame-ring.ts'

/** A reader's place at a feed. */
export interface Subscription {
  /** What follows an id, up to another one; undefined if there is nothing yet, or it is to be read from the store. */
  readonly take: (after: number, upTo: number) => SharedFrames | undefined
  /** The id of the last message that the feed has had. */
  readonly tail: () => number
  /** Whether there was nothing for a while, asked once for each such while. */
  takeQuiet(): boolean
  /**
   * Calls back once, when there is something to look at or the feed has failed; nothing may be awaited between the
   * look that found nothing and this.
   */
  wait(onReady: () => void, onError: (error: unknown) => void): void
  /** Ends a wait, because something else has happened that the reader must look at. */
  wake(): void
  leave(): void
}

/** A place as its feed sees it. */
export interface FeedSubscription extends Subscription {
  /** Tells a reader that waits that there was nothing for a while. */
  tellQuiet(): void
  fail(error: unknown): void
}

/** Builds a place at a feed. */
export function createSubscription(
  ring: FrameRing,
  onLeave: (subscription: FeedSubscription) => void,
): FeedSubscription {
  return new RingSubscription(ring, onLeave)
}

/** A class, because there are many: an object of closures takes four times the memory. */
class RingSubscription implements FeedSubscription {
  readonly take: Subscription['take']
  readonly tail: Subscription['tail']
  readonly #onLeave: (subscription: FeedSubscription) => void
  #onReady: (() => void) | undefined
  #failure: { readonly error: unknown } | undefined
  #isQuiet = false

  constructor({ take, tail }: FrameRing, onLeave: (subscription: FeedSubscription) => void) {
    this.take = take
    this.tail = tail
    this.#onLeave = onLeave
  }

  takeQuiet(): boolean {
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

  tellQuiet(): void {
    // Whoever does not wait has something to take.
    this.#isQuiet = this.#onReady !== undefined
    this.wake()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    // Whoever looks now finds nothing, waits again, and is told.
    this.wake()
  }

  leave(): void {
    this.#onLeave(this)
  }
}
