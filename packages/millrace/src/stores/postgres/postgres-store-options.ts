import type { ClientConfig } from 'pg'

/** How a store in Postgres works. */
export interface PostgresLimits {
  /** The schema of its tables and functions, which is made if it is missing. */
  readonly schema?: string
  /** Whether tables are created where there are none; else every call rejects with `not_found`. True unless given. */
  readonly createTables?: boolean
  /** Every table and function begins with this. */
  readonly prefix?: string
  /**
   * Whether processes tell each other of new messages with LISTEN and NOTIFY, on a connection of their own. Without it each looks for them by
   * itself, every `pollMs`. Behind a pooler that hands out a connection for one transaction, switch it off or give `listenUrl`.
   */
  readonly listen?: boolean
  /** Where the connection for LISTEN goes, if not to the same address: past the pooler. */
  readonly listenUrl?: string
  /** How often logs that somebody waits at are looked at while no notifications are heard; once a second otherwise. */
  readonly pollMs?: number
  /** So many connections serve everything but appends, which have one of their own. */
  readonly maxConnections?: number
  /** Older messages of a session are dropped beyond this many, in blocks of up to 1,024. */
  readonly maxMessagesPerSession?: number
  readonly maxFileBytes?: number
  /** A call that Postgres has not answered by then rejects with `store_unavailable`. */
  readonly commandTimeoutMs?: number
  /** Told of what goes wrong in the background, once where connections are lost; they heal by themselves. */
  readonly onError?: (error: unknown) => void
  /** Told when Postgres answers again, after a loss that `onError` was told of. */
  readonly onRestored?: () => void
}

/** Where Postgres is: an address, or the settings of a client of `pg`, such as `host`, `user`, `password` and `ssl`. */
export type PostgresAddress =
  | { readonly url: string; readonly connection?: never }
  | { readonly connection: ClientConfig; readonly url?: never }

/** What a store in Postgres is made from. */
export type PostgresStoreOptions = PostgresAddress & PostgresLimits
