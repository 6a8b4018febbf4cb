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

/** Where Redis is: an address, or a client whose settings are taken over; it is not used itself and not closed. */
export type RedisAddress =
  | { readonly url: string; readonly client?: never }
  | { readonly client: Redis | Cluster; readonly url?: never }

/** What a store in Redis is made from. */
export type RedisStoreOptions = RedisAddress & RedisLimits
