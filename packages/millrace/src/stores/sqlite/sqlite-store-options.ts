import type { Synchronous } from './file/open-writer.ts'

/** Where a store is kept, and how. */
export interface SqliteStoreOptions {
  /** Its file, which is made if it is missing, for the eyes of its owner only; beside it SQLite has two of its own. */
  readonly path?: string
  /** How sure a commit is: `full` survives the loss of power, `normal` only the end of the process. */
  readonly synchronous?: Synchronous
  /** Older messages of a session are dropped beyond this many, in blocks. */
  readonly maxMessagesPerSession?: number
  /**
   * Commits begin at least so far apart, so that many appends share one, and up to four times as far where more than
   * sixteen do; after a pause the next one begins at once.
   */
  readonly groupMs?: number
  /** How long the lock of another process is waited for. */
  readonly busyTimeoutMs?: number
  /** Other processes have the file open too, each with this option; fenced they are without it as well. */
  readonly shared?: boolean
  /** Refuses to open a file that another process has opened so: servers that do not look for each other's messages. */
  readonly exclusive?: boolean
  /** How often the file is checked for changes by other processes while anyone waits; default 50 for a shared file, else 1,000. */
  readonly pollMs?: number
  /** The store's clock, in milliseconds. */
  readonly now?: () => number
}
