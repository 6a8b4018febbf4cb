import type { Cluster, Redis } from 'ioredis'

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
