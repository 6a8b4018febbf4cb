import type { Store } from '../../stores/port/index.ts'
import { pinLog } from './page-reader.ts'
import { createFeed, type Feed } from './feed.ts'
import type { PublishLines } from '../runs/log-writer.ts'
import type { Subscription } from './subscription.ts'

interface FeedsOptions {
  readonly store: Store
  readonly heartbeatMs: number
  readonly maxRingBytes?: number
}

/** The feeds of the logs that are read live on this server. */
export interface Feeds {
  /** Subscribes a reader, which has frames up to an id, to the feed of a log. */
  join(session: string, after: number, log?: string): Subscription
  /** Publishes frames that were just stored to their feed. */
  readonly publish: PublishLines
}

/** Creates the feeds of a server: one for each log while it has readers. */
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

/** Returns the key of a feed without creating a string, since every appended frame is published. Ids of logs are unique. */
function toKey(session: string, log = ''): string {
  return log === '' ? session : log
}
