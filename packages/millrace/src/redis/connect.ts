import { type Cluster, Redis, type RedisOptions } from 'ioredis'
import { MillraceError } from '../errors/index.ts'
import type { RedisAddress } from './redis-store-options.ts'
import { replyCode } from './redis-failure.ts'

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
export function createConnect({ url, client }: RedisAddress, timeoutMs: number): Connect {
  const options = toOptions(timeoutMs)
  // Of a socket that stays silent after a command the other end may be gone without a word.
  const watched = { ...options, socketTimeout: timeoutMs }
  const once = { ...watched, retryStrategy: null }
  if (client !== undefined && isCluster(client)) return connectCluster(client, watched, once)
  if (client !== undefined) {
    return {
      isCluster: false,
      commands: () => client.duplicate(options),
      listener: () => client.duplicate(once),
    }
  }
  checkUrl(url)
  return {
    isCluster: false,
    commands: () => new Redis(url, options),
    listener: () => new Redis(url, once),
  }
}

type Options = Omit<ReturnType<typeof toOptions>, 'socketTimeout'> & {
  readonly socketTimeout: number
}
type OnceOptions = Omit<Options, 'retryStrategy'> & { readonly retryStrategy: null }

function connectCluster(cluster: Cluster, options: Options, once: OnceOptions): Connect {
  const { replyMapping: _mapping, ...given } = cluster.options.redisOptions ?? {}
  const { retryStrategy: _strategy, enableOfflineQueue, ...ofNodes } = options
  return {
    isCluster: true,
    commands: () =>
      cluster.duplicate(undefined, {
        enableAutoPipelining: false,
        enableOfflineQueue,
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

function checkUrl(url: string): void {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return
  throw new MillraceError(
    'bad_request',
    'The address of Redis must be a URL such as redis://127.0.0.1:6379 or rediss://user:password@host:6380/0.',
  )
}
