import type { Store } from '../../store/index.ts'
import { createFeed, type Feed } from './feed.ts'
import type { Seat } from './seat.ts'

/** What feeds have in common. */
export interface FeedsOptions {
  readonly store: Store
  readonly heartbeatMs: number
  readonly maxRingBytes?: number
}

/** The sessions that are read live on this server. */
export interface Feeds {
  /** Gives a place at the live end of a session to a reader that has read up to an id. */
  join(session: string, after: number): Seat
  /** Takes messages that have just been stored; whoever reads them live need not read them back. */
  readonly offer: (session: string, firstId: number, lines: readonly Uint8Array[]) => void
}

/** Builds the feeds of a server: one for each session that is read, as long as it is. */
export function createFeeds(options: FeedsOptions): Feeds {
  const feeds = new Map<string, Feed>()

  const open = (session: string, after: number): Feed => {
    const feed = createFeed({
      ...options,
      session,
      after,
      onEnd: () => {
        if (feeds.get(session) === feed) feeds.delete(session)
      },
    })
    feeds.set(session, feed)
    return feed
  }

  return {
    join: (session, after) => (feeds.get(session) ?? open(session, after)).join(),
    offer: (session, firstId, lines) => feeds.get(session)?.offer(firstId, lines),
  }
}
