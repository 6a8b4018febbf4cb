import type { Redis } from 'ioredis'
import { storeClosed } from '../../port/index.ts'
import { createGate } from '../connection/gate.ts'
import { createLastingClient } from '../connection/lasting-client.ts'
import type { Link } from '../../remote/index.ts'
import { storeUnavailable } from '../connection/store-errors.ts'

/** The connection on which a process receives publications. */
export type Subscriber = ReturnType<typeof createSubscriber>

interface SubscriberOptions {
  /** Opens a connection that does not reconnect by itself; undefined if there is no node yet. */
  readonly connect: () => Redis | undefined
  readonly timeoutMs: number
  readonly onMessage: (channel: string, message: string) => void
  /** Called when all channels are subscribed again; publications in between were missed. */
  readonly onRestored: () => void
  /** Called when the connection has failed and did not recover in time. */
  readonly onFailure: (cause: unknown) => void
  readonly link: Link
}

const SUBSCRIBED_AT_ONCE = 500

/** Creates a subscriber, which connects at once. */
export function createSubscriber(options: SubscriberOptions) {
  const { connect, timeoutMs, onMessage, onRestored, onFailure, link } = options
  const channels = new Set<string>()
  const liveness = createGate()
  let isLive = false
  let isClosed = false
  let lastError: unknown
  let failureTimer: ReturnType<typeof setTimeout> | undefined

  const note = (error: unknown): void => {
    lastError = error
    link.fail(error)
  }

  const restore = async (client: Redis): Promise<void> => {
    try {
      await subscribeAll(client, channels)
    } catch (error) {
      // The connection has failed again, or Redis refuses. In both cases another connection is tried.
      note(error)
      return client.disconnect()
    }
    isLive = true
    clearTimeout(failureTimer)
    failureTimer = undefined
    liveness.open()
    link.restore()
    onRestored()
  }

  const client = createLastingClient({
    connect,
    onConnect: (fresh) => void fresh.on('error', note).on('message', onMessage),
    onReady: (fresh) => void restore(fresh),
    onEnd: () => {
      isLive = false
      failureTimer ??= setTimeout(() => onFailure(lastError), timeoutMs)
    },
  })

  // A connection without a peer stays silent until data is sent.
  const heal = (): void => (isLive ? link.restore() : undefined)
  const pulse = setInterval(() => void client.ready()?.ping().then(heal, note), timeoutMs)
  pulse.unref()

  return {
    /** Resolves when all further publications on a channel are received. */
    subscribe: async (channel: string) => {
      channels.add(channel)
      // If this connection fails, the next one subscribes to the channel.
      if (isLive && (await isDone(client.ready()?.subscribe(channel), note))) return
      const isHeard = !isClosed && (await liveness.pass(timeoutMs))
      if (isClosed) throw storeClosed()
      if (!isHeard) throw storeUnavailable(lastError)
    },

    unsubscribe: (channel: string) => {
      if (channels.delete(channel)) client.ready()?.unsubscribe(channel).catch(note)
    },

    close: async () => {
      isClosed = true
      liveness.open()
      clearInterval(pulse)
      clearTimeout(failureTimer)
      await client.close()
    },
  }
}

/** Subscribes to all channels, including those that are added meanwhile. */
async function subscribeAll(client: Redis, channels: ReadonlySet<string>): Promise<void> {
  const done = new Set<string>()
  for (;;) {
    const missing = [...channels].filter((channel) => !done.has(channel))
    if (missing.length === 0) return
    const some = missing.slice(0, SUBSCRIBED_AT_ONCE)
    await client.subscribe(...some)
    for (const channel of some) done.add(channel)
  }
}

async function isDone(
  work: Promise<unknown> | undefined,
  onError: (error: unknown) => void,
): Promise<boolean> {
  try {
    await work
    return work !== undefined
  } catch (error) {
    onError(error)
    return false
  }
}
