import type { Store } from '../../stores/port/index.ts'
import { callApart } from '../../streams/index.ts'
import type { PublishLines } from '../runs/log-writer.ts'
import { yieldToEventLoop } from '../timing.ts'
import { createFrameRing, type FrameRing, type SharedFrames } from './frame-ring.ts'
import { createPageReader, type LogSource, MAX_PAGE_BYTES, pinLog } from './page-reader.ts'

interface FeedOptions {
  readonly store: LogSource
  readonly session: string
  /** The feed starts after this id. */
  readonly after: number
  readonly heartbeatMs: number
  /** Bytes of recent frames kept for readers that are slightly behind. */
  readonly maxRingBytes?: number
  /** Called after the last subscription was closed, or when the store failed. */
  readonly onEnd: () => void
}

/** The live end of a log: read once, encoded once, and shared by all its readers on this server. */
interface Feed {
  /** Subscribes until {@link Subscription.close} is called. */
  join(): Subscription
  /** Accepts frames from the writer that stored them, which saves reading them back. */
  publish(firstId: number, lines: readonly Uint8Array[]): void
}

/** Creates a feed, which follows the log as long as it has subscriptions. */
function createFeed(options: FeedOptions): Feed {
  const { after, heartbeatMs, maxRingBytes = 16_384, onEnd } = options
  const ring = createFrameRing(after, maxRingBytes)
  const subscriptions = new Set<FeedSubscription>()
  const tracker = createPublishTracker()
  const over = new AbortController()
  let failure: { readonly error: unknown } | undefined

  const heartbeat = startHeartbeat(heartbeatMs, () => {
    // Readers that were behind had a heartbeat interval to catch up.
    ring.clear()
    for (const subscription of subscriptions) subscription.sendHeartbeat()
  })

  const push = (lines: readonly Uint8Array[]): void => {
    heartbeat.put()
    ring.push(lines)
    for (const subscription of subscriptions) subscription.wake()
  }

  const end = (): void => {
    heartbeat.stop()
    over.abort()
    tracker.missed()
    onEnd()
  }

  const fail = (error: unknown): void => {
    if (over.signal.aborted) return
    failure = { error }
    end()
    for (const subscription of subscriptions) subscription.fail(error)
  }

  const close = (subscription: FeedSubscription): void => {
    subscriptions.delete(subscription)
    if (subscriptions.size === 0) end()
  }

  follow({ ...options, ring, push, tracker, signal: over.signal }).catch(fail)

  return {
    join: () => {
      const subscription = createSubscription(ring, close)
      subscriptions.add(subscription)
      if (failure !== undefined) subscription.fail(failure.error)
      return subscription
    },
    publish: (firstId, lines) => {
      if (firstId <= ring.tail() || lines.length === 0) return
      // Frames that exceed one page are read from the store in pages.
      if (firstId > ring.tail() + 1 || sizeOf(lines) > MAX_PAGE_BYTES) return tracker.missed()
      tracker.published()
      push(lines)
    },
  }
}

/** The log that is followed, and its consumer. */
interface Following {
  readonly store: LogSource
  readonly session: string
  readonly ring: FrameRing
  readonly push: (lines: readonly Uint8Array[]) => void
  readonly tracker: PublishTracker
  readonly signal: AbortSignal
}

async function follow(following: Following): Promise<never> {
  const { store, session, ring, push, tracker, signal } = following
  const readPage = createPageReader({ store, session })
  for (;;) {
    await tracker.untilIdle()
    const tail = ring.tail()
    await store.wait(session, tail, signal)
    // Yields to sockets and to the writer, which may publish the frames.
    await yieldToEventLoop()
    if (ring.tail() > tail) continue
    const { entries } = await readPage(tail, Infinity)
    if (entries.length > 0 && ring.tail() === tail) push(entries.map(({ line }) => line))
  }
}

/** Calls back after each interval without a `put`, with one timer however often it is called. */
function startHeartbeat(ms: number, onQuiet: () => void) {
  let lastAt = Date.now()
  const beat = (): void => {
    const restMs = lastAt + ms - Date.now()
    timer = setTimeout(beat, restMs > 0 ? restMs : ms)
    if (restMs > 0) return
    lastAt = Date.now()
    onQuiet()
  }
  let timer = setTimeout(beat, ms)
  return { put: () => (lastAt = Date.now()), stop: () => clearTimeout(timer) }
}

function sizeOf(lines: readonly Uint8Array[]): number {
  let size = 0
  for (const { length } of lines) size += length
  return size
}

/** Time after the last published frames before the store is watched again for other writers. */
const PAUSE_MS = 250

/** Tracks whether the writer of the log publishes to this feed; meanwhile the store need not be watched. */
interface PublishTracker {
  /** Frames were published and accepted. */
  published(): void
  /** Frames were missed or too large: the store must be read. */
  missed(): void
  /** Resolves when nothing was published for a while, or the store must be read. */
  untilIdle(): Promise<void>
}

function createPublishTracker(): PublishTracker {
  let isRecent = false
  let wake = (): void => {}

  const pause = async (): Promise<void> => {
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      wake = resolve
      timer = setTimeout(resolve, PAUSE_MS)
    })
    clearTimeout(timer)
  }

  return {
    published: () => {
      isRecent = true
    },
    missed: () => {
      isRecent = false
      wake()
    },
    untilIdle: async () => {
      while (isRecent) {
        isRecent = false
        await pause()
      }
    },
  }
}

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
interface FeedSubscription extends Subscription {
  /** Makes a heartbeat due, if the reader waits. */
  sendHeartbeat(): void
  fail(error: unknown): void
}

/** Creates a subscription. */
function createSubscription(
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
