import type { ConnectionOptions } from 'node:tls'
import type { Cluster, Redis } from 'ioredis'

/** How a store in Redis works. */
export interface RedisLimits {
  /** Every key and channel begins with this. One with a hash tag, `{millrace}:`, keeps all in one slot of a cluster. */
  readonly prefix?: string
  /** Older messages of a session are dropped beyond this many, in blocks of up to 1,024. */
  readonly maxMessagesPerSession?: number
  readonly maxFileBytes?: number
  /** A call that Redis has not answered by then rejects with `store_unavailable`. */
  readonly commandTimeoutMs?: number
  /** Of so many sessions a process remembers how far they were, to notice when Redis has lost something. */
  readonly maxMarks?: number
  /** Told of what goes wrong in the background, once where a connection is lost; they heal by themselves. */
  readonly onError?: (error: unknown) => void
  /** Told when all connections are back, after a loss that `onError` was told of. */
  readonly onRestored?: () => void
}

/** The address of a Redis, or of one node of a cluster. */
export interface RedisUrl {
  /**
   * `redis://user:password@host:6379/0`, `rediss://` with encryption, or `redis+sentinel://user:password@host:26379,host:26379/name/0`, with the
   * user and the password of Redis and the name of the master.
   */
  readonly url: string
  /** Whether the address is that of a node of a cluster, which tells of the others; `?cluster=true` behind the address says so too. */
  readonly cluster?: boolean
  /** How an encrypted connection is made, such as with the `ca` that has signed the certificate of Redis. */
  readonly tls?: ConnectionOptions
  readonly client?: never
}

/** Where Redis is: an address, or a client whose settings are taken over; it is not used itself and not closed. */
export type RedisAddress = RedisUrl | { readonly client: Redis | Cluster; readonly url?: never }

/** What a store in Redis is made from. */
export type RedisStoreOptions = RedisAddress & RedisLimits
