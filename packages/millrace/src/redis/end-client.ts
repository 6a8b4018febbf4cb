import type { Cluster, Redis } from 'ioredis'

/** In these states a client has a socket whose end it will tell. */
const connected: ReadonlySet<string> = new Set(['connect', 'connecting', 'ready'])

/** Ends a client, and resolves when nothing of it is left. */
export async function endClient(client: Redis | Cluster): Promise<void> {
  const isConnected = connected.has(client.status)
  const ended = new Promise((resolve) => client.once('end', resolve))
  client.disconnect()
  if (isConnected) await ended
}
