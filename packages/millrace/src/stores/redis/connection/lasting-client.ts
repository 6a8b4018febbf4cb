import type { Redis } from 'ioredis'
import { endClient } from './end-client.ts'

/** A connection that reconnects after every failure, to any present node. */
interface LastingClient {
  /** Returns the current connection if it is usable. */
  ready(): Redis | undefined
  close(): Promise<void>
}

interface LastingClientOptions {
  /** Opens a connection that does not reconnect by itself; undefined if there is no node yet. */
  readonly connect: () => Redis | undefined
  /** Called for each connection before its use, to add listeners. */
  readonly onConnect: (client: Redis) => void
  readonly onReady: (client: Redis) => void
  readonly onEnd: () => void
}

const RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

/** Creates a client, which connects at once. */
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
