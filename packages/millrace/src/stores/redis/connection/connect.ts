import type { Cluster, DNSLookupFunction, Redis, RedisOptions } from 'ioredis'
import { badRequest } from '../../../errors/index.ts'
import type { RedisAddress, RedisUrl } from '../redis-store-options.ts'
import { loadDriver } from './load-driver.ts'
import { replyCode } from './redis-failure.ts'
import { decodeSentinels, type SentinelAddress } from './sentinel-address.ts'

/** Opens the connections of a store. */
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

/** Reads the address of Redis. */
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
