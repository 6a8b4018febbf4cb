import { type Stats, statSync } from 'node:fs'
import { MillraceError } from '../../../errors/index.ts'

/** Checks that the files at a store's path are the open ones. */
export interface FileIdentity {
  /** Throws `store_unavailable` if a later open of the path would not find new writes. */
  check(): void
}

/**
 * Remembers the newly opened file of a store, and later SQLite's log beside it. SQLite itself keeps writing to files that were deleted,
 * moved or replaced. A check takes some microseconds.
 */
export function rememberFile(path: string): FileIdentity {
  const file = statSync(path)
  const walPath = `${path}-wal`
  let wal: Stats | undefined
  return {
    check: () => {
      const present = statSync(path, { throwIfNoEntry: false })
      compare('The file of the store', file, present)
      if (present?.size === 0 && file.size > 0) throw unusable('The file of the store was emptied')
      const found = statSync(walPath, { throwIfNoEntry: false })
      // SQLite creates the log with the first write, and removes it only when the last connection closes.
      wal ??= found
      if (wal !== undefined) compare('The -wal file of the store', wal, found)
    },
  }
}

function compare(name: string, known: Stats, found: Stats | undefined): void {
  if (found === undefined) throw unusable(`${name} was deleted or moved`)
  if (found.ino !== known.ino || found.dev !== known.dev)
    throw unusable(`${name} was replaced by another file`)
}

function unusable(what: string): MillraceError {
  return new MillraceError(
    'store_unavailable',
    `${what} while the server runs. Nothing is written, because it would be lost. To continue, move the same file back, with its -wal and -shm files. To use the file that is now at the path, restart the server.`,
  )
}
