import type { FrameRing, SharedFrames } from './frame-ring.ts'

/** Why a reader that waited is woken: there is something to look at, or there was nothing for a while. */
export type News = 'news' | 'quiet'

/** A reader's place at a feed. */
export interface Seat {
  /** What follows an id, up to another one; undefined if there is nothing yet, or it is to be read from the store. */
  readonly take: (after: number, upTo: number) => SharedFrames | undefined
  /** The id of the last message that the feed has had. */
  readonly tail: () => number
  /** The id of the last message that the feed had and has no more, because of those that came after it. */
  readonly dropped: () => number
  /** Resolves at the next news; nothing may be awaited between the look that found nothing and this. */
  wait(): Promise<News>
  /** Ends a wait, because something else has happened that the reader must look at. */
  readonly wake: () => void
  readonly leave: () => void
}

/** A place as its feed sees it. */
export interface FeedSeat extends Seat {
  tell(news: News): void
  fail(error: unknown): void
}

/** Builds a place at a feed. */
export function createSeat(
  { take, tail, dropped }: FrameRing,
  onLeave: (seat: FeedSeat) => void,
): FeedSeat {
  let resolve: ((news: News) => void) | undefined
  let reject: ((error: unknown) => void) | undefined
  let failure: { readonly error: unknown } | undefined

  const tell = (news: News): void => {
    resolve?.(news)
    resolve = undefined
  }

  const seat: FeedSeat = {
    take,
    tail,
    dropped,
    wait: () =>
      new Promise((onNews, onFailure) => {
        if (failure !== undefined) return onFailure(failure.error)
        resolve = onNews
        reject = onFailure
      }),
    tell,
    wake: () => tell('news'),
    fail: (error) => {
      failure = { error }
      reject?.(error)
    },
    leave: () => onLeave(seat),
  }
  return seat
}
