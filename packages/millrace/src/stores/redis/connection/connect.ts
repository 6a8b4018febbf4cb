import type { Cluster, DNSLookupFunction, Redis, RedisOptions } from 'ioredis'
import { MillraceError } from '../../../errors/index.ts'
import type { RedisAddress, RedisUrl } from '../redis-store-options.ts'
import { loadDriver } from './load-driver.ts'
import { replyCode } from './redis-failure.ts'
import { decodeSentinels, type SentinelAddress } from './sentinel-address.ts'

/** Makes the connections of a store. */
export interface Connect {
  readonly isCluster: boolean
  /** The one for all commands; it reconnects by itself. */
  commands(): Redis | Cluster
  /** One that hears channels, to any node: on a cluster every node tells what is published on any. It ends when it is lost. */
  listener(commands: Redis | Cluster): Redis | undefined
}

const LONGEST_RETRY_MS = 1_000

/** Nothing is queued or sent again behind our back: who repeats a command must know that it may have been carried out. */
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

/** Reads where Redis is. */
export function createConnect(address: RedisAddress, timeoutMs: number): Connect {
  const options = toOptions(timeoutMs)
  // Of a socket that stays silent after a command the other end may be gone without a word.
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

/** A client that is never connected: what connects takes over its settings. */
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
  // The name of a node must stay what its certificate is for.
  const named = encryption === undefined ? {} : { dnsLookup: keepName }
  return new (loadDriver().Cluster)([node], { lazyConnect: true, redisOptions, ...named })
}

/** Asks sentinels which Redis is the master, each time it connects. */
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
        // Without it a cluster counts as broken until a node that is chosen at random happens to be connected.
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

/** Asked of what it can do: the client may come from another copy of the package. */
function isCluster(client: Redis | Cluster): client is Cluster {
  return 'nodes' in client
}

function parseUrl(url: string): URL {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return new URL(url)
  throw new MillraceError(
    'bad_request',
    'The address of Redis must be a URL such as redis://127.0.0.1:6379 or rediss://user:password@host:6380/0.',
  )
}
