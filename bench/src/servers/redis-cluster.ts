import { freePort } from './free-port.ts'
import { type RedisAccess, type RedisServer, startRedis } from './redis-server.ts'

/** Starts a cluster of one node: it has every slot, and refuses a script whose keys are in several. */
export async function startRedisCluster(): Promise<RedisServer> {
  const [server] = await startRedisMasters(1)
  if (server === undefined) throw new Error('unreachable')
  return server
}

const SLOTS = 16_384

/** The options of a cluster. */
export interface ClusterOptions {
  /** The number of servers that share the slots; the others have none. */
  readonly masters?: number
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a cluster of servers, of which all or the first ones share the slots. */
export async function startRedisMasters(
  count: number,
  access?: RedisAccess,
  { masters = count, settings = {} }: ClusterOptions = {},
): Promise<readonly RedisServer[]> {
  // The port that a node would choose for the others may not exist.
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const servers = await Promise.all(
    ports.map((busPort) =>
      startRedis(
        {
          'cluster-enabled': 'yes',
          'cluster-announce-ip': '127.0.0.1',
          'cluster-port': String(busPort),
          ...settings,
        },
        access,
      ),
    ),
  )
  const [first] = servers
  for (const [index, { admin, port }] of servers.entries()) {
    const [start, end] = [index, index + 1].map((part) => Math.ceil((part * SLOTS) / masters))
    if (index < masters)
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(start), String((end ?? 0) - 1))
    const bus = String(ports[index])
    if (index > 0) await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', String(port), bus)
  }
  for (const { admin } of servers) {
    let info = ''
    while (!info.includes('cluster_state:ok') || !info.includes(`cluster_known_nodes:${count}`)) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      info = await admin.cluster('INFO')
    }
  }
  return servers
}
