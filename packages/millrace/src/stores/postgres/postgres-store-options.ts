import type { ClientConfig } from 'pg'

/** Options of a Postgres store, besides its address. */
export interface PostgresLimits {
  /** Schema of its tables and functions. It is created if it is missing. */
  readonly schema?: string
  /** Whether missing tables are created; otherwise every call rejects with `not_found`. Default true. */
  readonly createTables?: boolean
  /** Prefix of the names of all tables and functions. */
  readonly prefix?: string
  /**
   * Whether processes announce new frames with LISTEN and NOTIFY, on a separate connection. Without it, each process polls every `pollMs`.
   * Behind a pooler in transaction mode, disable it or set `listenUrl`.
   */
  readonly listen?: boolean
  /** Address of the connection for LISTEN, if it must bypass a pooler. */
  readonly listenUrl?: string
  /** Poll interval for logs with waits while no notifications arrive; otherwise it is one second. */
  readonly pollMs?: number
  /** Maximum number of connections for all calls except appends, which have their own. */
  readonly maxConnections?: number
  /** Maximum number of frames of a session. Older ones are dropped in blocks of up to 1,024. */
  readonly maxMessagesPerSession?: number
  readonly maxFileBytes?: number
  /** Timeout of a call; it then rejects with `store_unavailable`. */
  readonly commandTimeoutMs?: number
  /** Called for errors in the background, once for each connection failure. Connections recover automatically. */
  readonly onError?: (error: unknown) => void
  /** Called when Postgres answers again after a connection failure that `onError` received. */
  readonly onRestored?: () => void
}

/** Address of Postgres: a URL, or the settings of a `pg` client, such as `host`, `user`, `password` and `ssl`. */
export type PostgresAddress =
  | { readonly url: string; readonly connection?: never }
  | { readonly connection: ClientConfig; readonly url?: never }

/** Options of a Postgres store. */
export type PostgresStoreOptions = PostgresAddress & PostgresLimits
