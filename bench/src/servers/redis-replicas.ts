import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import { freePort } from './free-port.ts'
import { startRedisMasters } from './redis-cluster.ts'
import { type RedisServer, redisPath, startRedis } from './redis-server.ts'

/** Servers of Redis with replicas that take over when a master dies. */
export interface ReplicatedRedis {
  /** The address, in the form of `MILLRACE_STORE`. */
  readonly url: `redis${string}:${string}`
  readonly admin: Redis | Cluster
  /**
   * Kills a master and waits until a replica has taken over, with all writes that were acknowledged before the call. With `writeMissed`
   * the replica is disconnected before it runs and the master is killed after it: the replica misses all writes made in it.
   */
  failOver(writeMissed?: () => Promise<unknown>): Promise<void>
  /** Adds a replica to the new master, so that it can fail in turn. */
  addReplica(): Promise<void>
  stop(): Promise<void>
}

const POLL_MS = 20
const SENTINELS = 3
const NAME = 'mill'
/** A server that is silent for this long counts as dead. */
const DOWN_MS = 1_000
const host = '127.0.0.1'
/** A replica does not wait for others that may connect. */
const settings = { 'repl-diskless-sync-delay': '0' }

/** Starts a master with a replica and sentinels that watch them. */
export async function startRedisSentinels(): Promise<ReplicatedRedis> {
  let [master, replica] = await Promise.all([startRedis(settings), startRedis(settings)])
  await follow(replica, master)
  const watchers = await Promise.all(Array.from({ length: SENTINELS }, () => watch(master.port)))
  const addresses = watchers.map(({ port }) => `${host}:${port}`).join()
  const sentinels = watchers.map(({ port }) => ({ host, port }))
  const { Redis } = await import('ioredis')
  const admin = new Redis({ sentinels, name: NAME, maxRetriesPerRequest: null, lazyConnect: true })
  admin.on('error', () => {})
  // A sentinel promotes only a replica that it has seen linked to the master, and counts dead replicas forever.
  const untilKnown = async (): Promise<void> => {
    const knows = ({ knowsReplica }: Watcher) => knowsReplica(replica.port)
    while (!(await Promise.all(watchers.map(knows))).every(Boolean)) {
      // On a busy machine a master can be silent for DOWN_MS; sentinels then replace it without being asked.
      if ((await isMaster(replica)) && !(await isMaster(master)))
        [master, replica] = [replica, master]
      await sleep(POLL_MS)
    }
  }
  await untilKnown()
  return {
    url: `redis+sentinel://${addresses}/${NAME}`,
    admin,
    failOver: async (writeMissed) => {
      await replace(master, replica, writeMissed)
      ;[master, replica] = [replica, master]
    },
    addReplica: async () => {
      await replica.stop()
      replica = await startRedis(settings)
      await follow(replica, master)
      await untilKnown()
    },
    stop: async () => {
      admin.disconnect()
      for (const watcher of watchers) await watcher.stop()
      await Promise.all([master.stop(), replica.stop()])
    },
  }
}

/** Starts a cluster of masters with a replica each. */
export async function startReplicatedCluster(masters: number): Promise<ReplicatedRedis> {
  const own = {
    ...settings,
    'cluster-node-timeout': String(DOWN_MS),
    // A replica takes over after any time without a connection.
    'cluster-replica-validity-factor': '0',
  }
  const servers = await startRedisMasters(2 * masters, {}, { masters, settings: own })
  const pairs = servers
    .slice(0, masters)
    .map((master, index) => ({ master, replica: servers[masters + index] ?? master }))
  for (const { master, replica } of pairs) {
    const id = String(await master.admin.call('CLUSTER', 'MYID'))
    await untilDone(() => replica.admin.call('CLUSTER', 'REPLICATE', id))
    await untilLinked(replica)
  }
  const nodes = servers.map(({ port }) => ({ host, port }))
  const { Cluster } = await import('ioredis')
  const admin = new Cluster(nodes, {
    lazyConnect: true,
    clusterRetryStrategy: () => POLL_MS,
    redisOptions: { maxRetriesPerRequest: null },
  })
  admin.on('error', () => {})
  // The first one stays, because servers that start meanwhile have no other address.
  let turn = 1
  const pairInTurn = () => {
    const pair = pairs[turn]
    if (pair === undefined) throw new Error('A cluster that fails over has several masters.')
    return pair
  }
  return {
    url: `redis://${host}:${servers[0]?.port}?cluster=true`,
    admin,
    failOver: async (writeMissed) => {
      const { master, replica } = pairInTurn()
      await replace(master, replica, writeMissed)
      pairs[turn] = { master: replica, replica: master }
    },
    addReplica: async () => {
      const { replica } = pairInTurn()
      await replica.start()
      await untilLinked(replica)
      turn = 1 + (turn % (masters - 1))
    },
    stop: async () => {
      admin.disconnect()
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

/** Kills a master, and waits until its replica has taken over. */
async function replace(
  { admin, kill }: RedisServer,
  replica: RedisServer,
  writeMissed?: () => Promise<unknown>,
): Promise<void> {
  await untilCaughtUp(replica, await offsetOf(admin, 'master_repl_offset'))
  if (writeMissed !== undefined) {
    // A master without a password refuses a replica that sends one.
    await replica.admin.config('SET', 'masterauth', 'none')
    await admin.call('CLIENT', 'KILL', 'TYPE', 'replica')
    while (!(await admin.info('replication')).includes('connected_slaves:0')) await sleep(POLL_MS)
    await writeMissed()
  }
  kill('SIGKILL')
  while (!(await isMaster(replica))) await sleep(POLL_MS)
  await replica.admin.config('SET', 'masterauth', '')
}

async function follow(replica: RedisServer, { port }: RedisServer): Promise<void> {
  await replica.admin.replicaof(host, port)
  await untilLinked(replica)
}

async function untilLinked({ admin }: RedisServer): Promise<void> {
  while (!(await admin.info('replication')).includes('master_link_status:up')) await sleep(POLL_MS)
}

async function untilCaughtUp({ admin }: RedisServer, offset: number): Promise<void> {
  while ((await offsetOf(admin, 'slave_repl_offset')) < offset) await sleep(POLL_MS)
}

async function offsetOf(admin: Redis, field: string): Promise<number> {
  const [, offset] = new RegExp(`^${field}:(\\d+)`, 'm').exec(await admin.info('replication')) ?? []
  return Number(offset ?? 0)
}

async function isMaster({ admin }: RedisServer): Promise<boolean> {
  const [role] = (await admin.role()) as [string]
  return role === 'master'
}

async function untilDone(act: () => Promise<unknown>): Promise<void> {
  while (
    !(await act().then(
      () => true,
      () => false,
    ))
  )
    await sleep(POLL_MS)
}

interface Watcher {
  readonly port: number
  /** Checks whether the sentinel has found the other sentinels, and this replica as linked to the master. */
  knowsReplica(port: number): Promise<boolean>
  stop(): Promise<void>
}

/** Starts a sentinel, which keeps its state in a separate file. */
async function watch(master: number): Promise<Watcher> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sentinel-'))
  const port = await freePort()
  const file = join(folder, 'sentinel.conf')
  const quorum = Math.ceil(SENTINELS / 2)
  const lines = [
    `port ${port}`,
    `bind ${host}`,
    `dir ${folder}`,
    `sentinel monitor ${NAME} ${host} ${master} ${quorum}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_MS}`,
    `sentinel failover-timeout ${NAME} ${4 * DOWN_MS}`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const child: ChildProcess = spawn(redisPath ?? '', [file, '--sentinel'], { stdio: 'ignore' })
  const { Redis } = await import('ioredis')
  const admin = new Redis({ port, host, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  await admin.ping()
  return {
    port,
    knowsReplica: async (replica) => {
      const seen = toFields((await admin.call('SENTINEL', 'MASTER', NAME)) as string[])
      if (Number(seen['num-other-sentinels']) !== SENTINELS - 1) return false
      const replicas = (await admin.call('SENTINEL', 'REPLICAS', NAME)) as string[][]
      return replicas
        .map(toFields)
        .some(
          ({ port: at, flags, 'master-link-status': link }) =>
            Number(at) === replica && flags === 'slave' && link === 'ok',
        )
    },
    stop: async () => {
      admin.disconnect()
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Reads the fields of a reply, which alternates names and values. */
function toFields(reply: readonly string[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (let at = 0; at + 1 < reply.length; at += 2) fields[reply[at] ?? ''] = reply[at + 1] ?? ''
  return fields
}
