import type { Synchronous } from './file/open-writer.ts'

/** Options of an SQLite store. */
export interface SqliteStoreOptions {
  /** Path of the file, created with access for its owner only. SQLite keeps two files beside it. */
  readonly path?: string
  /** Durability of a commit: `full` survives a power failure, `normal` only the end of the process. */
  readonly synchronous?: Synchronous
  /** Maximum number of frames of a session. Older ones are dropped in blocks. */
  readonly maxMessagesPerSession?: number
  /**
   * Minimum time between the starts of commits, so that many appends share one; up to four times as long if more than sixteen do. After a
   * pause, the next commit starts at once.
   */
  readonly groupMs?: number
  /** Maximum wait for the lock of another process. */
  readonly busyTimeoutMs?: number
  /** Whether other processes have the file open too; each needs this option. Without it, writers are still fenced. */
  readonly shared?: boolean
  /** Refuses a file that another process has opened with this option, because such servers do not read each other's frames. */
  readonly exclusive?: boolean
  /** Interval of checks for writes of other processes while readers wait; default 50 for a shared file, else 1,000. */
  readonly pollMs?: number
  /** Clock of the store, in milliseconds. */
  readonly now?: () => number
}
