import type { Cluster, Redis } from 'ioredis'

/** In these states a client has a socket whose end it will tell. */
const connected: ReadonlySet<string> = new Set(['connect', 'connecting', 'ready'])

/** Ends a client, and resolves when nothing of it is left. */
export async function endClient(client: Redis | Cluster): Promise<void> {
  const isConnected = connected.has(client.status)
  const ended = new Promise((resolve) => client.once('end', resolve))
  const nodes = 'nodes' in client ? client.nodes('all') : [client]
  // A socket that is ended while encryption is agreed on may fail twice, and only the first failure is listened for.
  for (const { stream } of nodes) stream?.on('error', () => {})
  client.disconnect()
  if (isConnected) await ended
}
