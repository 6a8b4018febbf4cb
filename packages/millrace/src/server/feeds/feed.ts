import { yieldToEventLoop } from '../runs/yield-to-event-loop.ts'
import { createFrameRing, type FrameRing } from './frame-ring.ts'
import { createLivePublishers, type LivePublishers } from './live-publishers.ts'
import { createPageReader, type LogSource, MAX_PAGE_BYTES } from './page-reader.ts'
import { createSubscription, type FeedSubscription, type Subscription } from './subscription.ts'

/** What a feed is made from. */
export interface FeedOptions {
  readonly store: LogSource
  readonly session: string
  /** The message after this id is the first one that it brings. */
  readonly after: number
  readonly heartbeatMs: number
  /** How much of the latest messages is kept for readers that are a little late. */
  readonly maxRingBytes?: number
  /** Called when nobody reads any more, or the store has failed. */
  readonly onEnd: () => void
}

/** The live end of one session's log: read once, framed once, and told to all of its readers on this server. */
export interface Feed {
  /** Takes part until {@link Subscription.leave} is called. */
  join(): Subscription
  /** Takes messages from whoever has just stored them, which saves reading them back. */
  publish(firstId: number, lines: readonly Uint8Array[]): void
}

/** Builds a feed, which looks for messages as long as somebody reads. */
export function createFeed(options: FeedOptions): Feed {
  const { after, heartbeatMs, maxRingBytes = 16_384, onEnd } = options
  const ring = createFrameRing(after, maxRingBytes)
  const subscriptions = new Set<FeedSubscription>()
  const publishers = createLivePublishers()
  const over = new AbortController()
  let failure: { readonly error: unknown } | undefined

  const heartbeat = startHeartbeat(heartbeatMs, () => {
    // Whoever was late has had the time to come after.
    ring.clear()
    for (const subscription of subscriptions) subscription.tellQuiet()
  })

  const push = (lines: readonly Uint8Array[]): void => {
    heartbeat.put()
    ring.push(lines)
    for (const subscription of subscriptions) subscription.wake()
  }

  const end = (): void => {
    heartbeat.stop()
    over.abort()
    publishers.refuse()
    onEnd()
  }

  const fail = (error: unknown): void => {
    if (over.signal.aborted) return
    failure = { error }
    end()
    for (const subscription of subscriptions) subscription.fail(error)
  }

  const leave = (subscription: FeedSubscription): void => {
    subscriptions.delete(subscription)
    if (subscriptions.size === 0) end()
  }

  follow({ ...options, ring, push, publishers, signal: over.signal }).catch(fail)

  return {
    join: () => {
      const subscription = createSubscription(ring, leave)
      subscriptions.add(subscription)
      if (failure !== undefined) subscription.fail(failure.error)
      return subscription
    },
    publish: (firstId, lines) => {
      if (firstId <= ring.tail() || lines.length === 0) return
      // What makes more than one chunk is left to be read in pages.
      if (firstId > ring.tail() + 1 || sizeOf(lines) > MAX_PAGE_BYTES) return publishers.refuse()
      publishers.accept()
      push(lines)
    },
  }
}

/** What is followed, and where it goes. */
interface Following {
  readonly store: LogSource
  readonly session: string
  readonly ring: FrameRing
  readonly push: (lines: readonly Uint8Array[]) => void
  readonly publishers: LivePublishers
  readonly signal: AbortSignal
}

async function follow(following: Following): Promise<never> {
  const { store, session, ring, push, publishers, signal } = following
  const readPage = createPageReader({ store, session })
  for (;;) {
    await publishers.pass()
    const tail = ring.tail()
    await store.wait(session, tail, signal)
    // Sockets have their turn, and so has the writer, who may offer what it has stored.
    await yieldToEventLoop()
    if (ring.tail() > tail) continue
    const { entries } = await readPage(tail, Infinity)
    if (entries.length > 0 && ring.tail() === tail) push(entries.map(({ line }) => line))
  }
}

/** Calls back whenever nothing was put for a while; one timer serves, however often something is. */
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
