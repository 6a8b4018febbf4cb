import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

/** The program of Redis, if there is one. */
export const redisPath: string | undefined = [process.env['REDIS_SERVER_PATH'] ?? ''].find(
  existsSync,
)

/** The reason why Redis cannot be used here, as a suffix of the name of a skipped test; otherwise empty. */
export const redisMissing: string =
  redisPath === undefined
    ? ' (left out: no redis-server was found; install it (apt-get install redis-server) or set REDIS_SERVER_PATH)'
    : ''

/** A real Redis on a free port of the loopback, with its own folder. */
export interface RedisServer {
  readonly port: number
  readonly url: `${'redis' | 'rediss'}://${string}`
  /** The folder of its files. */
  readonly dir: string
  /** A connection for the caller that started it. */
  readonly admin: Redis
  /** Ends it like `kill -9`, changes its files with the function, if given, and starts it again. */
  crash(between?: () => Promise<void>): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Starts it again after a kill. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The credentials and TLS that a server requires. */
export interface RedisAccess {
  readonly password?: string
  /** A folder with a certificate; unencrypted connections are refused. */
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

  // Loaded late: the driver makes strings slow, and other cases do not need it.
  const { Redis } = await import('ioredis')
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
    // It responds once the data is loaded, after any number of connections.
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
