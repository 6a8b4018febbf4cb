import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

const redisPath: string | undefined = [process.env['REDIS_SERVER_PATH'] ?? ''].find(existsSync)

/** Why tests of the store in Redis cannot run here, for the name of the suites that are left out; else empty. */
export const redisMissing: string =
  redisPath === undefined
    ? ' (left out: no redis-server was found; install it (apt-get install redis-server) or set REDIS_SERVER_PATH)'
    : ''

/** A real Redis on a free port of the loopback, with a folder of its own. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Where its files are. */
  readonly dir: string
  /** A connection for the test itself. */
  readonly admin: Redis
  /** Ends it as `kill -9` does and starts it again with what is on disk, or what is made of that in between. */
  crash(between?: () => Promise<void>): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Starts it again after a kill. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server with settings such as `{ appendonly: 'yes' }`; without any, nothing is kept on disk. */
export async function startRedis(
  settings: Readonly<Record<string, string>> = {},
): Promise<RedisServer> {
  if (redisPath === undefined) throw new Error(`Redis cannot be tested${redisMissing}.`)
  const path = redisPath
  const dir = await mkdtemp(join(tmpdir(), 'millrace-redis-'))
  const port = await freePort()
  const all = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    save: '',
    appendonly: 'no',
    ...settings,
  }
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])
  let child: ChildProcess | undefined

  const admin = new Redis({ port, lazyConnect: true, maxRetriesPerRequest: null })
  admin.on('error', () => {})

  const start = async (): Promise<void> => {
    child = spawn(path, args, { stdio: 'ignore' })
    // It is answered when the data is loaded, however often it has to connect.
    await admin.ping()
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  await start()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    dir,
    admin,
    start,
    crash: async (between = async () => {}) => {
      await end('SIGKILL')
      await between()
      await start()
    },
    kill: (signal) => void child?.kill(signal),
    stop: async () => {
      admin.disconnect()
      await end('SIGKILL')
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Starts a cluster of one node: it has every slot, and refuses a script whose keys are in several. */
export async function startRedisCluster(): Promise<RedisServer> {
  const server = await startRedis({
    'cluster-enabled': 'yes',
    'cluster-announce-ip': '127.0.0.1',
  })
  await server.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  while (!(await server.admin.cluster('INFO')).includes('cluster_state:ok'))
    await new Promise((resolve) => setTimeout(resolve, 10))
  return server
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
