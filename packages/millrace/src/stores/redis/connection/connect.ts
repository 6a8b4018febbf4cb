import type { Cluster, Command, DNSLookupFunction, Redis, RedisOptions } from 'ioredis'
import { badRequest, loadPeer, type MillraceError } from '../../../errors/index.ts'
import type { RedisAddress, RedisUrl } from '../redis-store-options.ts'
import { replyCode } from './store-errors.ts'
import { createRequire } from 'node:module'

interface Driver {
  readonly Cluster: typeof Cluster
  readonly Command: typeof Command
  readonly Redis: typeof Redis
}

const require = createRequire(import.meta.url)

/** Loads the driver, an optional dependency. Synchronous, because store creation is. */
export function loadDriver(): Driver {
  const driver = loadPeer('ioredis', 'The Redis store', () => require('ioredis') as Driver)
  speedUpStrings()
  return driver
}

/**
 * Makes the properties of `String.prototype` fast again. Version 6 of the driver has a subclass of `String`, and V8 turns a
 * prototype that gets a subclass into a slow dictionary: reading a stream of events then costs half as much again. V8 makes it
 * fast when properties are read through another object often enough to be optimised.
 */
function speedUpStrings(): void {
  const object = Object.setPrototypeOf({}, String.prototype) as string
  for (let reads = 0; reads < 1_000; reads++) void object.length
}

interface Connect {
  readonly isCluster: boolean
  /** Opens the connection for all commands. It reconnects by itself. */
  commands(): Redis | Cluster
  /** Opens a connection for channels, to any node: each node of a cluster receives all publications. It ends when it fails. */
  listener(commands: Redis | Cluster): Redis | undefined
}

const LONGEST_RETRY_MS = 1_000

/** Interval of requests for the masters of a cluster, so that a fail-over is noticed without other commands. */
const REFRESH_MS = 5_000

/** Disables the driver's queues and retries, because a repeated command may run twice. */
function toOptions(timeoutMs: number) {
  return {
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectionName: 'millrace',
    connectTimeout: timeoutMs,
    commandTimeout: undefined,
    disconnectTimeout: 100,
    enableAutoPipelining: false,
    enableOfflineQueue: false,
    enableReadyCheck: true,
    keyPrefix: '',
    lazyConnect: false,
    maxLoadingRetryTime: 250,
    maxRetriesPerRequest: 0,
    socketTimeout: undefined,
    stringNumbers: false,
    reconnectOnError: (error: Error) => replyCode(error) === 'READONLY',
    retryStrategy: (attempt: number) => Math.min(attempt * 50, LONGEST_RETRY_MS),
  } satisfies RedisOptions
}

/** Creates the function that opens connections to an address. */
export function createConnect(address: RedisAddress, timeoutMs: number): Connect {
  const options = toOptions(timeoutMs)
  // A socket that stays silent after a command may have lost its peer without notice.
  const watched = { ...options, socketTimeout: timeoutMs }
  const once = { ...watched, retryStrategy: null }
  const client = address.client ?? toClient(address)
  if (isCluster(client)) return connectCluster(client, watched, once)
  return {
    isCluster: false,
    commands: () => client.duplicate(options),
    listener: () => client.duplicate(once),
  }
}

/** Creates a client that is never connected; connections copy its settings. */
function toClient({ url, cluster, tls }: RedisUrl): Redis | Cluster {
  const watched = decodeSentinels(url)
  if (watched !== undefined) return toSentinelClient(watched, tls)
  const { protocol, hostname, port, username, password, searchParams } = parseUrl(url)
  const encryption = tls ?? (protocol === 'rediss:' ? {} : undefined)
  const secured = encryption === undefined ? {} : { tls: encryption }
  if (cluster !== true && searchParams.get('cluster') !== 'true')
    return new (loadDriver().Redis)(url, { lazyConnect: true, ...secured })
  const node = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) }
  const redisOptions = {
    ...secured,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
  // The host name of a node must match its certificate.
  const named = encryption === undefined ? {} : { dnsLookup: keepName }
  return new (loadDriver().Cluster)([node], { lazyConnect: true, redisOptions, ...named })
}

/** Creates a client that gets the address of the master from sentinels at each connect. */
function toSentinelClient(
  { sentinels, isEncrypted, ...access }: SentinelAddress,
  tls: RedisUrl['tls'] = isEncrypted ? {} : undefined,
): Redis {
  const secured = tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }
  return new (loadDriver().Redis)({
    sentinels: [...sentinels],
    ...access,
    ...secured,
    lazyConnect: true,
  })
}

const DEFAULT_PORT = 6_379

const keepName: DNSLookupFunction = (name, done) => done(null, name)

type Options = Omit<ReturnType<typeof toOptions>, 'socketTimeout'> & {
  readonly socketTimeout: number
}
type OnceOptions = Omit<Options, 'retryStrategy'> & { readonly retryStrategy: null }

function connectCluster(cluster: Cluster, options: Options, once: OnceOptions): Connect {
  const { replyMapping: _mapping, ...given } = cluster.options.redisOptions ?? {}
  const { retryStrategy: _strategy, enableOfflineQueue: _queue, ...ofNodes } = options
  return {
    isCluster: true,
    commands: () =>
      cluster.duplicate(undefined, {
        enableAutoPipelining: false,
        slotsRefreshInterval: cluster.options.slotsRefreshInterval ?? REFRESH_MS,
        // Without it, a cluster counts as failed until a randomly chosen node is connected.
        enableOfflineQueue: true,
        keyPrefix: '',
        lazyConnect: false,
        redisOptions: { ...given, ...ofNodes },
      }),
    listener: (commands) => {
      const nodes = isCluster(commands) ? commands.nodes('all') : []
      return nodes[Math.floor(Math.random() * nodes.length)]?.duplicate(once)
    },
  }
}

/** Detects a cluster by its members, because the client may come from another copy of the package. */
export function isCluster(client: Redis | Cluster): client is Cluster {
  return 'nodes' in client
}

function parseUrl(url: string): URL {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return new URL(url)
  throw badRequest(
    'The address of Redis must be a URL such as redis://127.0.0.1:6379 or rediss://user:password@host:6380/0.',
  )
}

/** Addresses of sentinels, and the name of their master. */
interface SentinelAddress {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  readonly name: string
  readonly isEncrypted: boolean
  readonly username?: string
  readonly password?: string
  readonly db?: number
}

const SENTINEL_PORT = 26_379
const scheme = /^redis(s?)\+sentinel:\/\//
const pattern =
  /^rediss?\+sentinel:\/\/(?:([^:@/?]*)(?::([^@/?]*))?@)?([^@/?]+)\/([^/?]+)(?:\/(\d+))?$/

/** Parses `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME/DATABASE`; undefined for an address without sentinels. */
export function decodeSentinels(url: string): SentinelAddress | undefined {
  const encryption = scheme.exec(url)?.[1]
  if (encryption === undefined) return undefined
  const [, user = '', password = '', hosts, name, db] = pattern.exec(url) ?? []
  if (hosts === undefined || name === undefined) throw badAddress()
  return {
    sentinels: hosts.split(',').map(decodeHost),
    name: decodeURIComponent(name),
    isEncrypted: encryption !== '',
    ...(user !== '' && { username: decodeURIComponent(user) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(db !== undefined && { db: Number(db) }),
  }
}

function decodeHost(text: string): { readonly host: string; readonly port: number } {
  if (!URL.canParse(`redis://${text}`)) throw badAddress()
  const { hostname, port } = new URL(`redis://${text}`)
  if (hostname === '') throw badAddress()
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || SENTINEL_PORT) }
}

/** Creates the error for an invalid address. It does not contain the address, which may hold a password. */
function badAddress(): MillraceError {
  return badRequest(
    'The address of Redis behind Sentinel must name hosts and a master, such as redis+sentinel://host:26379,host:26379/mymaster.',
  )
}
