import type { ConnectionOptions } from 'node:tls'
import type { Cluster, Redis } from 'ioredis'

/** Options of a Redis store, besides its address. */
export interface RedisLimits {
  /** Prefix of all keys and channels. A prefix with a hash tag, `{millrace}:`, puts all keys into one slot of a cluster. */
  readonly prefix?: string
  /** Maximum number of frames of a session. Older ones are dropped in blocks of up to 1,024. */
  readonly maxMessagesPerSession?: number
  readonly maxFileBytes?: number
  /** Timeout of a call; it then rejects with `store_unavailable`. */
  readonly commandTimeoutMs?: number
  /** Number of sessions whose last known state a process remembers, to detect data loss in Redis. */
  readonly maxMarks?: number
  /** Called for errors in the background, once for each connection failure. Connections recover automatically. */
  readonly onError?: (error: unknown) => void
  /** Called when all connections work again after a connection failure that `onError` received. */
  readonly onRestored?: () => void
}

/** Address of a Redis, or of one node of a cluster. */
export interface RedisUrl {
  /**
   * `redis://user:password@host:6379/0`, `rediss://` with encryption, or `redis+sentinel://user:password@host:26379,host:26379/name/0`, with the
   * user and the password of Redis and the name of the master.
   */
  readonly url: string
  /** Whether the address is a cluster node, from which the store gets the others; `?cluster=true` in the address has the same effect. */
  readonly cluster?: boolean
  /** TLS options, such as the `ca` that signed the certificate of Redis. */
  readonly tls?: ConnectionOptions
  readonly client?: never
}

/** Address of Redis: a URL, or a client whose settings are copied. That client is neither used nor closed. */
export type RedisAddress = RedisUrl | { readonly client: Redis | Cluster; readonly url?: never }

/** Options of a Redis store. */
export type RedisStoreOptions = RedisAddress & RedisLimits
