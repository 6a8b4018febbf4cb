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

/** What a server demands of those who connect. */
export interface RedisAccess {
  readonly password?: string
  /** A folder with a certificate; what is not encrypted is refused. */
  readonly certificate?: { readonly folder: string; readonly ca: string }
}

/** Starts a server with settings such as `{ appendonly: 'yes' }`; without any, nothing is kept on disk. */
export async function startRedis(
  settings: Readonly<Record<string, string>> = {},
  { password = '', certificate }: RedisAccess = {},
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
    ...(password !== '' && { requirepass: password, masterauth: password }),
    ...(certificate !== undefined && toTlsSettings(port, certificate.folder)),
    ...settings,
  }
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])
  const userinfo = password === '' ? '' : `:${encodeURIComponent(password)}@`
  let child: ChildProcess | undefined

  const admin = new Redis({
    port,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    ...(password !== '' && { password }),
    ...(certificate !== undefined && { tls: { ca: certificate.ca } }),
  })
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
    url: `${certificate === undefined ? 'redis' : 'rediss'}://${userinfo}127.0.0.1:${port}`,
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
  const [server] = await startRedisMasters(1)
  if (server === undefined) throw new Error('unreachable')
  return server
}

const SLOTS = 16_384

/** Starts a cluster of masters that share the slots. */
export async function startRedisMasters(
  count: number,
  access?: RedisAccess,
): Promise<readonly RedisServer[]> {
  // The port that a node would choose itself for the others may be none.
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const servers = await Promise.all(
    ports.map((busPort) =>
      startRedis(
        {
          'cluster-enabled': 'yes',
          'cluster-announce-ip': '127.0.0.1',
          'cluster-port': String(busPort),
        },
        access,
      ),
    ),
  )
  const [first] = servers
  for (const [index, { admin, port }] of servers.entries()) {
    const [start, end] = [index, index + 1].map((part) => Math.ceil((part * SLOTS) / count))
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

function toTlsSettings(port: number, folder: string): Readonly<Record<string, string>> {
  return {
    port: '0',
    'tls-port': String(port),
    'tls-cert-file': join(folder, 'mill.pem'),
    'tls-key-file': join(folder, 'mill.key'),
    'tls-ca-cert-file': join(folder, 'mill.pem'),
    'tls-auth-clients': 'no',
    'tls-cluster': 'yes',
    'tls-replication': 'yes',
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
