import type { Redis } from 'ioredis'
import { endClient } from './end-client.ts'

/** A connection that is made anew whenever it is lost, to whatever node there is then. */
export interface LastingClient {
  /** The one there is now, if it can be used. */
  ready(): Redis | undefined
  close(): Promise<void>
}

/** What a lasting client is made with. */
export interface LastingClientOptions {
  /** Makes a connection that does not reconnect by itself; undefined if there is nothing to connect to yet. */
  readonly connect: () => Redis | undefined
  /** Told of each connection before it is used: to listen to it, and when it is ready. */
  readonly onConnect: (client: Redis) => void
  readonly onReady: (client: Redis) => void
  readonly onEnd: () => void
}

const RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

/** Builds a lasting client, which connects at once. */
export function createLastingClient(options: LastingClientOptions): LastingClient {
  const { connect, onConnect, onReady, onEnd } = options
  let client: Redis | undefined
  let retries = 0
  let retry: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const startLater = (): void => {
    if (isClosed) return
    onEnd()
    retry = setTimeout(start, Math.min(RETRY_MS * ++retries, LONGEST_RETRY_MS))
  }

  const start = (): void => {
    client = connect()
    if (client === undefined) return startLater()
    const own = client
    onConnect(own)
    own.once('end', startLater)
    own.once('ready', () => {
      retries = 0
      onReady(own)
    })
  }

  start()
  return {
    ready: () => (client?.status === 'ready' ? client : undefined),
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      if (client !== undefined) await endClient(client)
    },
  }
}
