import { yieldToEventLoop } from '../timing.ts'
import { createFrameRing, type FrameRing } from './frame-ring.ts'
import { createPageReader, type LogSource, MAX_PAGE_BYTES } from './page-reader.ts'
import { createSubscription, type FeedSubscription, type Subscription } from './subscription.ts'

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
export interface Feed {
  /** Subscribes until {@link Subscription.close} is called. */
  join(): Subscription
  /** Accepts frames from the writer that stored them, which saves reading them back. */
  publish(firstId: number, lines: readonly Uint8Array[]): void
}

/** Creates a feed, which follows the log as long as it has subscriptions. */
export function createFeed(options: FeedOptions): Feed {
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
