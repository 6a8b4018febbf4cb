import type { Cluster, Redis } from 'ioredis'

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
export function createLastingClient(options: LastingClientOptions) {
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
    ready: (): Redis | undefined => (client?.status === 'ready' ? client : undefined),
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      if (client !== undefined) await endClient(client)
    },
  }
}

/** States of a client with a socket that will report its end. */
const connected: ReadonlySet<string> = new Set(['connect', 'connecting', 'ready'])

/** Ends a client; resolves when its sockets are closed. */
export async function endClient(client: Redis | Cluster): Promise<void> {
  const isConnected = connected.has(client.status)
  const ended = new Promise((resolve) => client.once('end', resolve))
  const nodes = 'nodes' in client ? client.nodes('all') : [client]
  // A socket that is closed during a TLS handshake may fail twice, but only the first failure has a listener.
  for (const { stream } of nodes) stream?.on('error', () => {})
  client.disconnect()
  if (isConnected) await ended
}
