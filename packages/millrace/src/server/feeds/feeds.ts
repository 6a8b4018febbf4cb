import type { Store } from '../../stores/port/index.ts'
import { pinLog } from '../reading/pin-log.ts'
import { createFeed, type Feed } from './feed.ts'
import type { PublishLines } from '../runs/log-writer.ts'
import type { Subscription } from './subscription.ts'

/** What feeds have in common. */
export interface FeedsOptions {
  readonly store: Store
  readonly heartbeatMs: number
  readonly maxRingBytes?: number
}

/** The sessions that are read live on this server. */
export interface Feeds {
  /** Gives a place at the live end of a session's log to a reader that has read up to an id. */
  join(session: string, after: number, log?: string): Subscription
  /** Takes messages that have just been stored; whoever reads them live need not read them back. */
  readonly publish: PublishLines
}

/** Builds the feeds of a server: one for each log that is read, as long as it is. */
export function createFeeds(options: FeedsOptions): Feeds {
  const feeds = new Map<string, Feed>()

  const open = (session: string, after: number, log: string | undefined): Feed => {
    const key = toKey(session, log)
    const feed = createFeed({
      ...options,
      store: pinLog(options.store, log),
      session,
      after,
      onEnd: () => {
        if (feeds.get(key) === feed) feeds.delete(key)
      },
    })
    feeds.set(key, feed)
    return feed
  }

  return {
    join: (session, after, log) =>
      (feeds.get(toKey(session, log)) ?? open(session, after, log)).join(),
    publish: (session, firstId, lines, log) =>
      feeds.get(toKey(session, log))?.publish(firstId, lines),
  }
}

function toKey(session: string, log = ''): string {
  return `${log} ${session}`
}
